"""What a tool raises inside the backend when it will not do as asked; it leaves as an error result."""

__all__ = ["Refusal"]


class Refusal(Exception):
    """A refusal with a code for machines and a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message
        super().__init__(message)
