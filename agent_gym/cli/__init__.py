"""The command line: a file says what a command takes, another, imported when it runs, does it and prints."""

from agent_gym.cli.app import main

__all__ = ["main"]
