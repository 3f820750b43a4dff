"""A gym, its fidelity and evaluation runs in; one HTML file that opens from disk out."""

from agent_gym.report.report import NamedHistory, NamedRun, write_report

__all__ = ["NamedHistory", "NamedRun", "write_report"]
