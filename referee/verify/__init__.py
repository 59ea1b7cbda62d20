"""Checking replays: what anybody can work out again from a replay's bytes, and where they first say something else."""
