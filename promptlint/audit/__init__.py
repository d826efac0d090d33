"""A log replayed through a prefix cache: what was cached, what could have been, and what broke it."""
