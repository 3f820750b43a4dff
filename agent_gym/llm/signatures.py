"""What Gemini signs its function calls with, by call id.

Thinking models sign their calls and refuse to go on unless the signature comes back with the call. A
`ToolCall` has no room for it, so the client remembers; a call it did not make (replayed, or made by another
model) carries the marker that Google documents for that case.
"""

__all__ = ["UNSIGNED", "Signatures"]

UNSIGNED = b"skip_thought_signature_validator"


class Signatures:
    """The newest signatures: opaque to us, and of use only until their turn is over."""

    __slots__ = ("_by_call", "_room")

    def __init__(self, room: int = 10_000) -> None:
        self._by_call: dict[str, bytes] = {}
        self._room = room

    def keep(self, call_id: str, signature: bytes) -> None:
        self._by_call[call_id] = signature
        if len(self._by_call) > self._room:
            self._by_call.pop(next(iter(self._by_call)), None)

    def of(self, call_id: str) -> bytes | None:
        return self._by_call.get(call_id)
