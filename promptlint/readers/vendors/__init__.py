"""Request bodies as their vendors define them: what stands where, in which order, and what marks the cache."""
