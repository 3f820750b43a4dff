"""Whether numbers, ids, dates and names are the right ones: one wrong value makes a reply wrong."""

from agent_gym.reward.finding import Finding
from agent_gym.reward.reply import Reply
from agent_gym.reward.said import Said
from agent_gym.text import Value

__all__ = ["facts"]


def facts(reply: Reply) -> Finding | None:
    if reply.reference is None or not reply.exact:
        return _supported(reply)
    right = {v.norm for v in reply.reference.values if _names(v, reply.response)}
    missing = {v.norm for v in reply.reference.values} - right
    wrong = _unsupported(reply)
    if not right and not missing and not wrong:
        return None
    share = len(right) / len(right | missing | wrong)
    if wrong:
        # Two wrong digits are not half as true: the square makes one wrong value of four cost half.
        return Finding(share**2, f"it says {_some(wrong)}, which the reference does not", tuple(sorted(wrong)))
    if missing:
        return Finding(0.4 + 0.6 * share, f"it leaves out {_some(missing)}", tuple(sorted(missing)))
    return Finding(1.0, "every number, id, date and name is right")


def _supported(reply: Reply) -> Finding | None:
    """Without the right answer at hand, a value can only be asked to come from the conversation."""
    wrong = _unsupported(reply)
    if not reply.context or not reply.response.norms:
        return None
    if wrong:
        share = 1 - len(wrong) / len(reply.response.norms)
        return Finding(share, f"nothing said before holds {_some(wrong)}", tuple(sorted(wrong)))
    return Finding(1.0, "every value comes from the conversation")


def _unsupported(reply: Reply) -> set[str]:
    """Values of the reply that neither the reference nor the conversation holds. Headings look like names."""
    texts = (reply.reference, *reply.context) if reply.reference and reply.exact else reply.context
    return {
        value.norm
        for value in reply.response.values
        if value.kind != "name" and value.norm not in reply.known and not any(_names(value, text) for text in texts)
    }


def _names(value: Value, text: Said) -> bool:
    return value.norm in text.norms or (value.kind == "name" and value.norm in text.line)


def _some(norms: set[str]) -> str:
    return ", ".join(sorted(norms)[:3])
