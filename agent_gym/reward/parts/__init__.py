"""One question about a conversation each: `(Conversation) -> Finding | None`, None where it does not apply."""

from collections.abc import Callable, Mapping

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.parts.answered import answered
from agent_gym.reward.parts.arguments import arguments
from agent_gym.reward.parts.claims import claims
from agent_gym.reward.parts.conduct import conduct
from agent_gym.reward.parts.denied import denied
from agent_gym.reward.parts.effort import effort
from agent_gym.reward.parts.end_state import end_state
from agent_gym.reward.parts.ending import ending
from agent_gym.reward.parts.facts import facts
from agent_gym.reward.parts.grounded import grounded
from agent_gym.reward.parts.hand_over import hand_over
from agent_gym.reward.parts.looked_up import looked_up
from agent_gym.reward.parts.misstated import misstated
from agent_gym.reward.parts.order import order
from agent_gym.reward.parts.reads import reads
from agent_gym.reward.parts.repeats import repeats
from agent_gym.reward.parts.similarity import similarity
from agent_gym.reward.parts.told import told
from agent_gym.reward.parts.work import work
from agent_gym.reward.parts.worked_out import worked_out
from agent_gym.reward.parts.write_precision import write_precision
from agent_gym.reward.parts.write_recall import write_recall

__all__ = ["PARTS"]

PARTS: Mapping[str, Callable[[Conversation], Finding | None]] = {
    "work": work,
    "end_state": end_state,
    "write_recall": write_recall,
    "write_precision": write_precision,
    "arguments": arguments,
    "repeats": repeats,
    "facts": facts,
    "told": told,
    "reads": reads,
    "answered": answered,
    "looked_up": looked_up,
    "hand_over": hand_over,
    "claims": claims,
    "misstated": misstated,
    "denied": denied,
    "worked_out": worked_out,
    "ending": ending,
    "order": order,
    "conduct": conduct,
    "grounded": grounded,
    "similarity": similarity,
    "effort": effort,
}
