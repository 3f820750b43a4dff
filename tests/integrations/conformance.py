"""What every adapter is held to: the actions of a recorded agent lead to the same conversation as in our own Episode.

`play` lets an adapter play cases side by side; what it says it heard, was paid and saw end is compared with Episodes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent_gym.adapters.chat import chat_message
from agent_gym.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.types import Message

MOST_TURNS = 6  # an episode in which the recorded agent's words do not help ends here


@dataclass(frozen=True, slots=True)
class Case:
    """An episode to play: which, and what its agent does in it."""

    conversation_id: str
    seed: int
    actions: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """How it went: what the agent heard after each action, the reward, and how it ended."""

    heard: tuple[str, ...]
    reward: float
    ending: str


Play = Callable[[Sequence[Case]], Sequence[Played]]
Told = Callable[[Episode, int], str]  # how an adapter words what was said from a place in the messages on


def as_chat(episode: Episode, since: int) -> str:
    """Tool results and customers' words, as chat messages have them, in their order."""
    return "\n".join(chat_message(message)["content"] for message in episode.messages[since:])


def as_observation(episode: Episode, since: int) -> str:
    del since
    return episode.observation


def check_adapter(gym: Environment, play: Play, told: Told = as_chat) -> None:
    """Tool answers, customers' words, reward and end are our own; a seed decides; episodes do not see each other."""
    recorded = [_recorded(gym, conversation_id, seed=1) for conversation_id in _two(gym)]
    expected = [_expected(gym, case, told) for case in recorded]
    assert any(played.reward > 0.5 for played in expected), "no recorded agent earns anything: nothing is shown"
    for case, wanted in zip(recorded, expected, strict=True):
        assert list(play([case])) == [wanted], f"{case.conversation_id} goes another way through the adapter"
    readers = [_reading(gym, case) for case in recorded]
    assert any(reader.actions[:-1] for reader in readers), "no recorded agent reads anything: isolation is not shown"
    together = [case for pair in zip(recorded, readers, strict=True) for case in pair]
    wanted_together = [_expected(gym, case, told) for case in together]
    assert list(play(together)) == wanted_together, "a second time, beside others, an episode goes another way"


def _two(gym: Environment) -> list[str]:
    """Cases that begin differently, where there are any: one with rules of its own, or with a greeting."""
    first, *others = [scenario for scenario in gym.scenarios() if scenario.scorable]
    unlike = [scenario for scenario in others if scenario.prompt != first.prompt]
    return [first.conversation_id, (unlike or others)[0].conversation_id]


def _recorded(gym: Environment, conversation_id: str, seed: int) -> Case:
    """What the recorded agent does, to the end of the episode."""
    agent, episode = ReplayAgent(gym.corpus[conversation_id]), _opened(gym, conversation_id, seed)
    while not episode.over:
        episode.step(agent.act(episode.messages, episode.tools))
    return Case(conversation_id, seed, tuple(m for m in episode.messages if m.role == "assistant" and m.trainable))


def _reading(gym: Environment, case: Case) -> Case:
    """The same conversation, only read from: were the worlds one, the other agent's writes would be seen here."""
    reads = [m for m in case.actions if m.tool_calls and not _writes(gym, m)]
    words = Message("assistant", "I can see it, and I cannot change it.", trainable=True)
    return Case(case.conversation_id, case.seed, tuple((reads * 2 + [words] * MOST_TURNS)[:MOST_TURNS]))


def _writes(gym: Environment, message: Message) -> bool:
    changing = gym.tool_mocker.write_tools | gym.tool_mocker.end_tools
    return any(call.name in changing for call in message.tool_calls)


def _expected(gym: Environment, case: Case, told: Told) -> Played:
    episode, heard, paid = _opened(gym, case.conversation_id, case.seed), [], 0.0
    for action in case.actions:
        if not episode.over:
            since = len(episode.messages) + 1  # behind the action itself
            paid += episode.step(action).reward
            heard.append(told(episode, since))
    return Played(tuple(heard), paid, episode.ending)


def _opened(gym: Environment, conversation_id: str, seed: int) -> Episode:
    return gym.episode(conversation_id, seed=seed, max_turns=MOST_TURNS)
