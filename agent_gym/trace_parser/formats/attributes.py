"""The attributes of an OpenTelemetry span in any encoding in, plain and nested attributes out."""

from collections.abc import Mapping
from typing import Final

from agent_gym.types import Json

__all__ = ["nested", "plain_attributes", "plain_value"]

_VALUES: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue")
_MAX_INDEX = 100_000  # a dotted index beyond this is a number in a name, not a place in a list


def plain_value(value: Json) -> Json:
    """{"stringValue": "x"} as "x"; what is not so wrapped stays as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind in _VALUES:
        return inner
    if kind == "intValue":
        return int(inner) if isinstance(inner, str) and inner.lstrip("-").isdigit() and len(inner) < 30 else inner
    if kind == "arrayValue" and isinstance(inner, dict):
        return [plain_value(one) for one in inner.get("values") or ()]
    if kind == "kvlistValue" and isinstance(inner, dict):
        return plain_attributes(inner.get("values"))
    return value


def plain_attributes(attributes: Json) -> dict[str, Json]:
    if isinstance(attributes, dict):
        return {key: plain_value(value) for key, value in attributes.items()}
    if not isinstance(attributes, list):
        return {}
    return {
        str(one["key"]): plain_value(one.get("value")) for one in attributes if isinstance(one, dict) and "key" in one
    }


def nested(attributes: Mapping[str, Json], prefix: str) -> Json:
    """What dotted keys such as `llm.input_messages.0.message.role` spell out below a prefix, as lists and objects."""
    if prefix in attributes:
        return attributes[prefix]
    tree: dict[str, Json] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix + "."):
            continue
        *path, last = key[len(prefix) + 1 :].split(".")
        at = tree
        for step in path:
            inner = at.setdefault(step, {})
            if not isinstance(inner, dict):
                inner = at[step] = {}
            at = inner
        at[last] = value
    if tree:
        return _listed(tree)
    holder = attributes
    for step in prefix.split("."):  # nested already
        found = holder.get(step) if isinstance(holder, dict) else None
        if found is None:
            return None
        holder = found
    return holder


def _listed(tree: Json) -> Json:
    if not isinstance(tree, dict):
        return tree
    if (
        tree
        and all(key.isdigit() and int(key) < _MAX_INDEX for key in tree if len(key) < 10)
        and all(len(k) < 10 for k in tree)
    ):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    return {key: _listed(value) for key, value in tree.items()}
