"""One of the candidates: features a person can read in, weighted and summed, the best candidate out."""

import math
from collections.abc import Mapping, Sequence

from agent_gym.agent.embedded.candidate import Candidate

__all__ = ["WEIGHTS", "choose", "lesson", "share", "worth"]

WEIGHTS: Mapping[str, float] = {
    "expected": 2.0,  # the chance of such a move, by where the conversation stands
    "surprise": -2.0,  # how unlikely it is, as a logarithm
    "echo": 1.0,  # share of the replies at similar points that are much like this one
    "vote": 3.0,  # share of the similar points at which this move was made
    "likeness": 1.0,  # of the nearest point behind it, against the nearest of all
    "follows": 0.1,  # share of all recorded moves after this event
    "doubt": -0.5,  # how often the sources of its values were wrong
    "lost": -1.2,  # share of the recorded reply that cannot be said here
    "changed": -0.3,  # share of its values that are not as recorded
    "named": 0.5,  # how much of the tool's name is in the words it would answer
    "turned down": -1.0,  # the very change, or much the same words, to which the customer has said no
    "lets be": -0.5,  # what was said to a plain no, to a customer who says what they want instead
    "declined": -1.0,  # a step to a change though the customer has just said no
    "agreed": 2.0,  # the customer has just said yes to it
    "not agreed": -2.0,  # a step to a change though they said yes to another
    "turned": -1.0,  # a plain word that a tool answered is another than in the recorded reply
    "failed": -1.0,  # the tool has just refused
    "foreign": -1.5,  # share of its topics of which nobody here has spoken
    "ready": 0.3,  # a call whose every argument is known for certain
    "leaving": -1.5,  # starts something though the customer is taking leave
    "closes": -1.5,  # a parting word to a customer who is not leaving
    "known": -1.5,  # asks for what is known
    "repeated": -1.5,  # times it was said before
    "wanted": 1.0,  # the chance, by the customer's words, that the tool is still needed
    "asked": -1.0,  # share of what it asks for that was asked for before
    "spoken of": 0.3,  # asks for what the customer has named
    "fruitless": -1.0,  # asks though the last answers held nothing
    "again": -1.0,  # the very call was made before
    "used": -0.3,  # the tool has been called with success
    "unsure": -0.5,  # a call of which an argument could be another
    "other way": -0.5,  # with other arguments than the likeliest
    "unasked": -1.0,  # a write without a yes, by how often others had one
    "finds": 0.5,  # its result holds what another call misses
    "unfinished": -0.8,  # ends the talk though a tool is likely still needed
    "ignores": -1.0,  # ends the talk though the customer has just said what they want
    "tells": 0.1,  # values that tools have told and nobody has said
    "won": 0.3,  # made oftener by successes than by failures
    "like words": 0.0,  # how alike the nearest point behind it is: in the customer's last words,
    "like intent": 0.0,  # in what the customer wants,
    "like asked": 0.0,  # in what the agent asked last,
    "like answer": 0.0,  # in what the tool has answered
    "question": 0.0,  # asks anything
    "asks for a yes": 0.0,
    "ends": 0.0,  # recorded customers took leave after it
    "report": 0.0,  # tells what the last tool answered, field by field
    "write": 0.0,  # a step to a tool that changes something,
    "write wanted": 0.0,  # and the customer's words point to it,
    "write voted": 0.0,  # and similar points made it
    "kind call": 0.0,
    "kind ask": 0.0,
    "kind confirm": 0.0,
    "kind reply": 0.0,
    "kind plain": 0.0,
    "plain": -0.5,  # words of our own, not of the record
}


def lesson(purpose: str, mark: str) -> str:
    """The name of the weight of a purpose where this mark stands: what practice has taught."""
    return f"{purpose} | {mark}"


def share(marks: int) -> float:
    """How much one of so many marks counts."""
    return 1.0 / math.sqrt(max(marks, 1))


def worth(candidate: Candidate, weights: Mapping[str, float] = WEIGHTS) -> float:
    taught = sum(weights.get(lesson(candidate.purpose, mark), 0.0) for mark in candidate.marks)
    told = sum(weights.get(name, 0.0) * value for name, value in candidate.features.items())
    return told + share(len(candidate.marks)) * taught


def choose(candidates: Sequence[Candidate], weights: Mapping[str, float] = WEIGHTS) -> Candidate:
    """The candidate of most worth; of equals, the one proposed first."""
    return max(candidates, key=lambda candidate: worth(candidate, weights))
