"""How far long work is, on stderr: a bar with rate and time left on a terminal, now and then a line elsewhere."""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["Counting"]

_EVERY = 10.0  # seconds between two lines where nobody watches


class Counting:
    """Told after every piece; a new title begins a new count."""

    def __init__(self, console: Console) -> None:
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(), TextColumn("{task.fields[said]}"),
        )  # fmt: skip
        self.console = console
        self._bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
        self._task = self._bar.add_task("", total=None, rate="", said="")
        self._title = ""
        self._began = self._shown = time.monotonic()
        self._first = 0

    def show(self, title: str, done: int, total: int, said: str = "") -> None:
        self._bar.start()  # not before: a terminal has room for one bar, and another may still be on
        now = time.monotonic()
        if title != self._title:
            self._title, self._began, self._first = title, now, done
            self._bar.reset(self._task)
        rate = (done - self._first) / max(now - self._began, 1e-9)
        told = f"{rate:.1f}/s" if rate else ""  # of the first piece nobody knows how long it took
        self._bar.update(self._task, description=title, completed=done, total=total, rate=told, said=said)
        if not self.console.is_terminal and now - self._shown >= _EVERY:
            self._shown = now
            left = f"{(total - done) / rate:.0f} s left" if rate else "time left unknown"
            words = ", ".join(filter(None, (f"{title}: {done:,} of {total:,}", told, left, said)))
            self.console.print(words, markup=False, soft_wrap=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
