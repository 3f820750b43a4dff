"""What can be said: a scene in, recorded replies with this conversation's values and a few plain words out."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.agent.embedded import phrases
from agent_gym.agent.embedded.candidate import Candidate, say
from agent_gym.agent.embedded.manner import refuses
from agent_gym.agent.embedded.points import Near, mood_of
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.sayings import OTHER
from agent_gym.agent.embedded.scene import Scene
from agent_gym.agent.embedded.traits import Features

__all__ = ["Tellings"]

_LEAST = 0.35  # of a reply of which less can be said here, the rest makes no sense
_ECHO, _SAME, _MUCH = 0.4, 0.6, 0.7  # shares of words: a like reply, one turned down said again, the same candidate
_REPLIES = 4  # how many are worked out


@dataclass
class Tellings:
    """The replies that can be given in one scene."""

    scene: Scene

    def replies(self, replying: Sequence[Near], share: float, asked: set[str]) -> list[Candidate]:
        """What was said at similar points, each purpose once: many wordings of one question are one candidate."""
        found: list[Candidate] = []
        purposes: set[frozenset[str]] = {frozenset({name}) for name in asked}
        for near in replying:
            if self.scene.record.confirmed_by(near.number) & self.scene.schemas.keys():
                continue
            names = frozenset(path for _, path in self.scene.record.elicits.get(near.number, ()))
            if names and names in purposes:
                continue
            made = self._reply(near, share)
            if made and not any(_much_alike(made[0], other) for other in found):
                purposes.add(names)
                found += made
            if len(found) == _REPLIES:
                break
        return found

    def plain(self, share: float) -> list[Candidate]:
        """Words of our own: a tool's answer told plainly, a parting word, and what can always be said."""
        rows: list[tuple[str, Features]] = []
        if text := phrases.report(self.scene.state, self.scene.record.write_tools):
            rows.append((text, {"vote": share, "plain": 1.0, "report": 1.0, **self.scene.traits.of_purpose([OTHER])}))
        if self.scene.traits.leaving:
            rows.append(
                (
                    phrases.PARTING,
                    {
                        "vote": share,
                        "plain": 1.0,
                        **self.scene.traits.of_purpose([self.scene.record.farewell]),
                        **self.scene.traits.of_ending(True),
                    },
                )
            )
        rows += [(text, {"plain": 2.0 + rank}) for rank, text in enumerate(phrases.last_resorts(self.scene.state))]
        return [Candidate("plain", say(text), {**f, **self.scene.traits.of_words(text)}) for text, f in rows]

    def _reply(self, near: Near, share: float) -> list[Candidate]:
        if not self.scene.honest(near.number):
            return []
        prepared = {
            call.name: self.scene.bind(call.name).arguments
            for call in near.point.then
            if call.name in self.scene.schemas
        }
        said = self.scene.filled(near.number, prepared)
        if said is None or said.kept < _LEAST:
            return []
        purposes = self.scene.record.purposes(near.number)
        asked = self.scene.record.elicits.get(near.number, frozenset())
        known = sum(
            1 for tool, path in asked if tool in self.scene.schemas and path not in self.scene.bind(tool).missing
        )
        same = self._echo(near)
        features = {
            **self.scene.traits.of_move("reply", same),
            **self.scene.traits.of_point(near),
            **self.scene.traits.of_purpose(purposes),
            **self.scene.traits.of_words(said.text),
            **self.scene.traits.of_asking({path for _, path in asked}),
            **self.scene.traits.of_ending(near.point.ends),
            "likeness": near.likeness / self.scene.near[0].likeness,
            "echo": same / share if share else 0.0,
            "lost": 1 - said.kept,
            "changed": 1 - said.same,
            "turned": float(said.turned),
            "turned down": float(self._turned_down(said.text)),
            "lets be": float(mood_of(self.scene.state) == "correction" and mood_of(near.point.state) == "no"),
            "foreign": said.foreign,
            "closes": float(near.point.closes and not (self.scene.traits.leaving or refuses(self.scene.state.words))),
            "known": known / len(asked) if asked else 0.0,
        }
        return [Candidate("reply", say(said.text), features, (near.point.conversation_id,), purpose=purposes[0])]

    def _turned_down(self, text: str) -> bool:
        """Whether the customer has said no to much the same words."""
        messages, words = self.scene.state.talk.messages, frozenset(tokens(text))
        said = (frozenset(tokens(messages[place].text)) for place in self.scene.state.turned_down)
        return any(_share(words, other, _SAME) for other in said)

    def _echo(self, near: Near) -> float:
        """The say of the similar points that said much the same."""
        words = self.scene.record.wording(near.number)
        return sum(
            other.weight
            for other in self.scene.near
            if other.point.reply and _share(words, self.scene.record.wording(other.number), _ECHO)
        )


def _share(left: frozenset[str], right: frozenset[str], least: float) -> bool:
    """Whether they share so much of their words."""
    return len(left & right) >= least * len(left | right)


def _much_alike(one: Candidate, other: Candidate) -> bool:
    return _share(frozenset(tokens(one.message.text)), frozenset(tokens(other.message.text)), _MUCH)
