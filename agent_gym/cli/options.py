"""The options that several commands take, worded once. Light: `--help` needs it, and must not wait."""

import typer

__all__ = ["AS_JSON", "DRY_RUN", "POLICY", "QUIET", "SOURCES_HELP", "TEST_FRACTION"]

POLICY = typer.Option(
    None, exists=True, dir_okay=False, help="A text file: the system prompt of traces that carry none."
)
TEST_FRACTION = typer.Option(0.2, help="For trace files: the share held out.")
SOURCES_HELP = "A gym file, or logs in any format that `agent-gym convert` reads: files, folders, globs."

AS_JSON = typer.Option(False, "--json", help="Print data for machines on stdout, as one JSON object.")
QUIET = typer.Option(False, "-q", "--quiet", help="No progress on stderr; errors are still told.")
DRY_RUN = typer.Option(False, "--dry-run", help="Say what would be done, written and sent, and do none of it.")
