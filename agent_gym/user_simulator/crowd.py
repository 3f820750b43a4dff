"""The train conversations in, what their customers have in common out: how they put things, and whom they believe.

A phrase is kept only if customers of two groups said it and it holds no value: nothing of one customer's can reach
another. Where the value is the point ("my zip is …"), the place is kept and the value is not.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.corpus import Corpus, succeeded
from agent_gym.text import tokens, values_in
from agent_gym.user_simulator.acts import AgentTurn, content_words, read_turn, sentences
from agent_gym.user_simulator.profile import Fact
from agent_gym.user_simulator.replies import answers_no, answers_yes, customer_act, says_goodbye, says_thanks
from agent_gym.user_simulator.talk import Talk

__all__ = ["LONELY", "Crowd", "mine_crowd"]

_LOOK_AT = 300  # conversations: the phrases that many people use are among them
_WORDS = 10  # the longest phrase
_ABOUT = 2  # content words: a phrase with more is about something
_PLACE = "{facts}"


@dataclass(frozen=True, slots=True)
class Crowd:
    """`phrases`: a move's kind → ways to say it. `frames`: a value's kind → sentences with a place for it.

    `believes` is the share of customers who take an untrue "done" for true: of those who were told one in a
    conversation that failed, how many left content. Nobody known to have been told one gives a half. `settles` is the
    share of those who were told something else, and asked for more wishes, who left it at that.
    """

    believes: float = 0.5
    settles: float = 0.5
    phrases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    frames: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def frame(self, fact: Fact) -> str:
        """A sentence that others have used for the like of this fact, or nothing."""
        for frame in self.frames.get(fact.kind, ()):
            about = content_words(frame.replace(_PLACE, ""))
            if about and about <= fact.labels:
                return frame
        return ""


LONELY = Crowd()


def mine_crowd(corpus: Corpus) -> Crowd:
    said: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    believed: list[bool] = []
    settled: list[bool] = []
    for trace in corpus.train[:_LOOK_AT]:
        talk = Talk.of(trace.messages)
        heard = [read_turn(turn.heard) for turn in talk.turns]
        for where, phrase in _phrases(talk, heard):
            said[where][phrase].add(corpus.groups[trace.conversation_id])
        if succeeded(trace) is False:
            believed += _believed(talk, heard)
            settled += _settled(talk, heard)
    common = {where: _said_by_several(found) for where, found in said.items()}
    return Crowd(
        believes=(sum(believed) + 1) / (len(believed) + 2),
        settles=(sum(settled) + 1) / (len(settled) + 2),
        phrases={kind: phrases for (what, kind), phrases in sorted(common.items()) if what == "phrase" and phrases},
        frames={kind: frames for (what, kind), frames in sorted(common.items()) if what == "frame" and frames},
    )


def _said_by_several(found: Mapping[str, set[int]]) -> tuple[str, ...]:
    """The phrases of more than one group of customers, those of most first."""
    several = [(phrase, len(groups)) for phrase, groups in found.items() if len(groups) > 1]
    return tuple(phrase for phrase, _ in sorted(several, key=lambda pair: (-pair[1], pair[0])))


def _phrases(talk: Talk, heard: Sequence[AgentTurn]) -> Iterator[tuple[tuple[str, str], str]]:
    last = len(heard) - 1
    for at, (turn, agent) in enumerate(zip(talk.turns, heard, strict=True)):
        if not at:
            continue
        for sentence in sentences(turn.said):
            yield from _frames(sentence)
        about = content_words(turn.said)
        if values_in(turn.said) or len(tokens(turn.said)) > _WORDS or len(about) > _ABOUT:
            continue
        if not about.isdisjoint(content_words(agent.text)):  # "yes, cancel it" fits this question alone
            continue
        if kind := _kind(turn.said, agent, at == last):
            yield ("phrase", kind), turn.said


def _kind(said: str, agent: AgentTurn, last: bool) -> str:
    """The move that these words make in answer to the agent, if it is one that anybody may make."""
    if "?" in said:
        return ""
    if last:
        return "leave_handed_over" if "hands_over" in agent.acts else "leave_satisfied" if says_thanks(said) else ""
    if not agent.acts.isdisjoint(("confirms", "offers")) and not says_goodbye(said):
        return "agree" if answers_yes(said) else "decline" if answers_no(said) else ""
    if customer_act(said) != "acknowledges" or (content_words(said) and not says_thanks(said)):
        return ""
    return "acknowledge" if agent.acts == {"informs"} else "wait" if agent.acts == {"holds"} else ""


def _frames(sentence: str) -> Iterator[tuple[tuple[str, str], str]]:
    values = values_in(sentence)
    if len(values) == 1 and len(tokens(sentence)) <= _WORDS and "?" not in sentence and "{" not in sentence:
        yield ("frame", values[0].kind), sentence.replace(values[0].text, _PLACE, 1)


def _believed(talk: Talk, heard: Sequence[AgentTurn]) -> list[bool]:
    """Whether the customer of a failure took the agent's word for it, where the agent had given it."""
    told = _says_done((*heard[1:], read_turn(talk.heard)))
    return [says_thanks(talk.turns[-1].said)] if told and talk.turns else []


def _settled(talk: Talk, heard: Sequence[AgentTurn]) -> list[bool]:
    """Whether the customer of a failure left with what they had been told, where nothing was said to be done."""
    if _says_done((*heard[1:], read_turn(talk.heard))):
        return []
    told = [at for at, turn in enumerate(heard) if at and turn.acts >= {"informs", "closes"}]
    last = len(heard) - 1
    return [at == last and says_thanks(talk.turns[at].said) for at in told[:1]]


def _says_done(turns: Sequence[AgentTurn]) -> bool:
    return any("claims_done" in turn.acts for turn in turns)
