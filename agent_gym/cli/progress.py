"""How far a long reading is, on stderr: a bar with rate and time left on a terminal, now and then a line elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from agent_gym.trace_parser import Reading

__all__ = ["ReadingProgress", "reading_progress"]

_EVERY = 10.0  # seconds between two lines where nobody watches
_REDRAW = 0.1


class ReadingProgress:
    """Told after every record; shows it when enough time has passed."""

    def __init__(self, console: Console, bar: Progress | None) -> None:
        self._console, self._bar = console, bar
        self._phase = ""
        self._started = self._shown = time.monotonic()
        self._task = bar.add_task("reading", total=None, said="") if bar is not None else None

    def __call__(self, phase: str, reading: Reading) -> None:
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._started = phase, now
        if now - self._shown >= (_REDRAW if self._bar is not None else _EVERY):
            self._shown = now
            self._show(reading, now - self._started)

    def _show(self, reading: Reading, seconds: float) -> None:
        said = f"{reading.conversations:,} conversations"
        if self._bar is not None and self._task is not None:
            total = reading.size or None
            self._bar.update(self._task, description=self._phase, completed=reading.position, total=total, said=said)
            return
        speed = reading.position / max(seconds, 1e-9)
        left = f", {max(0, reading.size - reading.position) / speed:.0f} s left" if speed else ""
        share = f" of {reading.size / 1e6:.1f}" if reading.size else ""
        self._console.print(
            f"{self._phase}: {reading.position / 1e6:.1f}{share} MB, {said}, {speed / 1e6:.1f} MB/s{left}", markup=False
        )


@contextmanager
def reading_progress(console: Console) -> Iterator[ReadingProgress]:
    if not console.is_terminal:
        yield ReadingProgress(console, None)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[said]}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        yield ReadingProgress(console, bar)
