"""A gym, its fidelity and evaluation runs in; one HTML file that opens from disk out."""

from agent_gym.report.report import NamedRun, write_report

__all__ = ["NamedRun", "write_report"]
