"""What is wrong with an appraised prompt: one generator of findings a check, listed in `table`."""
