"""A clinic's desk, for the tests of the loop: patients cancel visits, ask about them, or want a person."""

from agent_gym.types import Json

DOCTORS = "Abel Brandt Castro Dahl Egan Fischer Garcia Hansen".split()
PATIENTS = len(DOCTORS)
NAMES = ("get_visit", "cancel_visit", "transfer_to_human_agent", "get_lab_report")


def key(i: int) -> str:
    return f"V-70{i}{i}"


def visit(i: int, status: str = "booked") -> dict[str, Json]:
    return {"visit_id": key(i), "status": status, "doctor": DOCTORS[i]}


def schema(name: str) -> dict[str, Json]:
    parameters = {"type": "object", "properties": {"visit_id": {"type": "string"}}, "required": ["visit_id"]}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def call(name: str, i: int, call_id: str = "") -> dict[str, Json]:
    return {"id": call_id, "name": name, "arguments": {"visit_id": key(i)}}


def calls(*made: dict[str, Json], content: str | None = None) -> dict[str, Json]:
    return {"role": "assistant", "content": content, "tool_calls": list(made)}


def told(name: str, result: Json) -> dict[str, Json]:
    return {"role": "tool", "name": name, "result": result}


def user(content: str) -> dict[str, Json]:
    return {"role": "user", "content": content}


def agent(content: str) -> dict[str, Json]:
    return {"role": "assistant", "content": content}


GREETING = agent("Welcome to the clinic.")
# A success in every case; nobody has ever called get_lab_report, so the record cannot answer it.
ACT: list[str | dict[str, Json]] = [
    calls(call("get_visit", 1)),
    calls(call("cancel_visit", 1)),
    "Your visit V-7011 is cancelled. Anything else?",
]


def cancelled(i: int, **fields: Json) -> dict[str, Json]:
    messages = [
        user(f"Hello, please cancel my visit {key(i)}, Dr. {DOCTORS[i]} is too far away."),
        calls(call("get_visit", i)),
        told("get_visit", visit(i)),
        calls(call("cancel_visit", i)),
        told("cancel_visit", visit(i, "cancelled")),
        agent(f"Your visit {key(i)} is cancelled. Anything else?"),
        user("No, that is all. Thank you, bye."),
    ]
    return {"conversation_id": f"c{i}", "messages": messages, "outcome": "resolved", **fields}


def handed_over(i: int) -> dict[str, Json]:
    messages = [
        user(f"I want to talk to a person about {key(i)}."),
        calls(call("transfer_to_human_agent", i)),
        told("transfer_to_human_agent", {"status": "transferred"}),
    ]
    return {"conversation_id": f"h{i}", "messages": messages, "outcome": "escalated"}


def traces() -> list[dict[str, Json]]:
    known = [cancelled(i) for i in range(PATIENTS)]
    known[0]["tools"] = [schema(name) for name in NAMES]
    known[2]["messages"] = [{"role": "system", "content": "Own rules."}, GREETING, *known[2]["messages"]]
    return [*known, handed_over(3), handed_over(4)]
