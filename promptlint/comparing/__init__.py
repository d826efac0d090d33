"""Two prompts side by side: what both begin with, what differs first, how much can be reused."""
