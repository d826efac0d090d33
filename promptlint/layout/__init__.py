"""A prompt as one provider's cache reads it: moves, culprits, what is reusable now and at best."""
