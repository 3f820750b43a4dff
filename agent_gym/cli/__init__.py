"""The command line: one file a command, which parses, calls one function, and prints."""

from agent_gym.cli.app import main

__all__ = ["main"]
