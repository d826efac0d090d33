"""What prompts cost the machine that serves them: KV bytes, traffic, prefill, levers, signals."""
