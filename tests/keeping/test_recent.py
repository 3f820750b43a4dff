"""A dict of what was worked out lately."""

from agent_gym.keeping import Recent


def test_the_oldest_goes_when_there_are_too_many():
    recent: Recent[str, int] = Recent(2)
    for at, name in enumerate("abac"):
        recent[name] = at
    assert dict(recent) == {"b": 1, "c": 3}
