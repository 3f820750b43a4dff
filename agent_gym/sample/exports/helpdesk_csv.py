"""Conversations as a help desk exports them: one row a message, no tool calls, the rating of the ticket."""

import csv
import datetime
import io
from collections.abc import Iterable

from agent_gym.sample.case import SampleConversation
from agent_gym.sample.chance import seeded
from agent_gym.sample.tables import table

__all__ = ["export"]

_COLUMNS = ("ticket_id", "created_at", "author_role", "author_name", "body", "status", "rating")


def export(played: Iterable[SampleConversation]) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for each in played:
        rows.writerows(_ticket(each))
    return out.getvalue()


def _ticket(played: SampleConversation) -> list[tuple[str, ...]]:
    trace = played.trace
    rng = seeded("helpdesk", trace.conversation_id)
    agent = rng.choice(table("people")["agents"])
    customer = played.case.database.get("customers", played.case.account_id)
    assert customer is not None
    moment = datetime.datetime.fromisoformat(trace.metadata["started_at"])
    status = "solved" if trace.outcome == "resolved" else trace.outcome or ""
    rating = "" if trace.satisfaction_score is None else f"{trace.satisfaction_score:.0f}"
    rows: list[tuple[str, ...]] = []
    for message in trace.messages:
        moment += datetime.timedelta(seconds=rng.randrange(8, 75))
        if message.role == "tool" or message.tool_calls:
            continue
        by_agent = message.role == "assistant"
        role, name = ("agent", agent) if by_agent else ("customer", customer["name"])
        rows.append((trace.conversation_id, moment.isoformat(sep=" "), role, name, message.text, status, rating))
    return rows
