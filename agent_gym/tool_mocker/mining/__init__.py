"""Recorded calls in, frozen models out. Miners know nothing of the rungs that use what they find."""
