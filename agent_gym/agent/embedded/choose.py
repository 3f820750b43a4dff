"""One of the candidates: features a person can read in, weighted and summed, the best candidate out."""

from collections.abc import Mapping, Sequence

from agent_gym.agent.embedded.propose import Candidate

__all__ = ["WEIGHTS", "choose", "worth"]

WEIGHTS: Mapping[str, float] = {
    "vote": 3.0,  # share of the similar points at which this move was made
    "likeness": 1.0,  # of the nearest point behind it, against the nearest of all
    "follows": 0.1,  # share of all recorded moves after this event
    "doubt": -0.5,  # how often the sources of its values were wrong
    "lost": -1.2,  # share of the recorded reply that cannot be said here
    "changed": -0.3,  # share of its values that are not as recorded
    "named": 0.5,  # how much of the tool's name is in the words it would answer
    "failed": -1.0,  # the tool has just refused
    "foreign": -1.5,  # share of its topics of which nobody here has spoken
    "ready": 0.3,  # a call whose every argument is known for certain
    "leaving": -1.5,  # starts something though the customer is taking leave
    "closes": -1.5,  # a parting word to a customer who is not leaving
    "known": -1.5,  # asks for what is known
    "repeated": -1.5,  # times it was said before
    "plain": -0.5,  # words of our own, not of the record
}


def worth(candidate: Candidate, weights: Mapping[str, float] = WEIGHTS) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in candidate.features.items())


def choose(candidates: Sequence[Candidate], weights: Mapping[str, float] = WEIGHTS) -> Candidate:
    """The candidate of most worth; of equals, the one proposed first."""
    return max(candidates, key=lambda candidate: worth(candidate, weights))
