"""A gym in, an environment that OpenEnv serves out, or a project of its own that does."""
