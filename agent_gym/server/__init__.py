"""A gym in, its tools behind a protocol out; each needs the extra of its name."""
