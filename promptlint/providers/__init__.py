"""Who caches prompt prefixes, by which rules, and how much of a request those rules let it reuse."""
