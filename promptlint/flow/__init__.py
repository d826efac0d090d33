"""Programs followed to the prompts that they build: names to values, calls to what they return."""
