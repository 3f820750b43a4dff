"""A finished conversation and the customer who was in it in, the turns in which the customer erred out.

A simulator's slips are not the agent's fault: a rollout with one can be dropped from training. Each error is
a name, the customer's turn (the opener is 0) and what was wrong with it: "repeated itself: turn 4, …".
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent_gym.goals import Goal
from agent_gym.types import Message, MessageLike, WorldView
from agent_gym.user_simulator.acts import AgentTurn, content_words, count_repeats, read_turn
from agent_gym.user_simulator.facts import new_values
from agent_gym.user_simulator.profile import CustomerProfile, Fact
from agent_gym.user_simulator.recall import asked_facts, hinted
from agent_gym.user_simulator.replies import says_goodbye
from agent_gym.user_simulator.talk import Talk, Turn
from agent_gym.user_simulator.wording import is_not_known

__all__ = ["user_errors"]

_SAYS_MORE = 3  # content words
_OWN_KINDS = ("email", "phone", "id", "date", "name")  # what a customer has one of; of amounts there are many
_LATE = 2  # turns after its goodbye


def user_errors(
    messages: Sequence[MessageLike],
    profile: CustomerProfile,
    goal: Goal | None = None,
    world: WorldView | None = None,
    *,
    left: bool = True,
) -> tuple[str, ...]:
    """`left`: the customer ended the conversation. Goal and world as the episode left them, where there are any."""
    lived = [Message.of(message) for message in messages]
    talk = Talk.of(lived)
    heard = [read_turn(turn.heard) for turn in talk.turns]
    found = [
        *_contradicted(talk.turns, profile),
        *_answered_something_else(talk.turns, heard, profile),
        *_repeated(talk.turns),
        *_stayed_on(talk.turns),
    ]
    if left and talk.turns:
        found += _left_early(talk, heard, goal, world, lived)
    return tuple(found)


def _contradicted(turns: Sequence[Turn], profile: CustomerProfile) -> Iterator[str]:
    """Values that are neither the customer's own nor anything it was told."""
    own = {fact.norm for fact in profile.facts}.union(*(spoken.values for spoken in profile.spoken))
    told = ""
    for at, turn in enumerate(turns):
        told += f"\n{turn.heard.lower()}"
        for value in new_values(turn.said, told):
            if value.norm not in own and value.kind in _OWN_KINDS:
                yield f"contradicted itself: turn {at}, {value.text!r} is not what this customer knows"
        told += f"\n{turn.said.lower()}"


def _answered_something_else(
    turns: Sequence[Turn], heard: Sequence[AgentTurn], profile: CustomerProfile
) -> Iterator[str]:
    """Asked for a fact it has and has not told, it told others that nothing in the question is for."""
    for at, (turn, question) in enumerate(zip(turns, heard, strict=True)):
        if not at or not question.acts.isdisjoint(("confirms", "offers")):
            continue
        before = " ".join(one.said for one in turns[:at])
        asked = [fact for fact in asked_facts(profile, question) if not _names(before, fact)]
        others = [f for f in profile.facts if f not in asked and _names(turn.said, f) and not hinted(f, question)]
        if asked and others and not any(_names(turn.said, fact) for fact in asked):
            yield f"answered something else: turn {at}, {others[0].text!r} to {sorted(question.slots)}"


def _names(said: str, fact: Fact) -> bool:
    return fact.text.lower() in said.lower()


def _repeated(turns: Sequence[Turn]) -> Iterator[str]:
    """The same words again, though the agent had said something new; a yes, a no and "I don't know" may recur."""
    for at, (before, turn) in enumerate(pairwise(turns), start=1):
        says_more = len(content_words(turn.said)) >= _SAYS_MORE and not is_not_known(turn.said)
        if turn.said == before.said and turn.heard != before.heard and says_more:
            yield f"repeated itself: turn {at}, {turn.said[:60]!r}"


def _stayed_on(turns: Sequence[Turn]) -> Iterator[str]:
    """It took its leave and was still there turns later, though nobody asked it anything."""
    for at, turn in enumerate(turns[:-_LATE]):
        after = turns[at + 1 : at + 1 + _LATE]
        if says_goodbye(turn.said) and not any(read_turn(one.heard).wants_answer for one in after):
            yield f"left late: turn {at}, it had said goodbye"
            return


def _left_early(
    talk: Talk, heard: Sequence[AgentTurn], goal: Goal | None, world: WorldView | None, lived: Sequence[Message]
) -> Iterator[str]:
    """It left while the agent waited for an answer, before anything was done or refused, with its wish open."""
    turns = [*heard[1:], read_turn(talk.heard)] if talk.agent_moved else heard[1:]
    if not turns:
        return
    last = turns[-1]
    # An agent that comes back to what it had said before may drive anybody out.
    stuck = count_repeats(turns) > 0
    settled = any(not turn.acts.isdisjoint(("claims_done", "refuses", "hands_over", "closes")) for turn in turns)
    if last.wants_answer and not (stuck or settled) and not (goal is not None and goal.holds(world, lived)):
        yield f"left early: turn {len(talk.turns) - 1}, the agent had asked {sorted(last.acts)}"
