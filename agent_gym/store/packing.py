"""JSON values in, packed bytes out, and back; what claims to unpack to more than a gym ever holds is refused."""

import zlib
from collections.abc import Collection, Iterable
from itertools import islice

from agent_gym.keeping import read_json, written_json
from agent_gym.types import Json

__all__ = ["MOST_UNPACKED", "dictionary_of", "packed", "unpacked"]

MOST_UNPACKED = 256 * 2**20  # bytes of one value: what claims more is an attack or a mistake
_LEVEL = 6
_WINDOW = 32 * 2**10  # bytes that the packer looks back
_SAMPLES = 16


def packed(value: Json, dictionary: bytes = b"") -> bytes:
    return packed_bytes(written_json(value), dictionary)


def packed_bytes(text: bytes, dictionary: bytes = b"") -> bytes:
    packer = zlib.compressobj(_LEVEL, zdict=dictionary) if dictionary else zlib.compressobj(_LEVEL)
    return packer.compress(text) + packer.flush()


def unpacked(body: bytes, dictionary: bytes = b"") -> Json:
    """ValueError for what was never packed, or is larger than anything that was."""
    try:
        unpacker = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
        text = unpacker.decompress(body, MOST_UNPACKED)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if unpacker.unconsumed_tail:
        raise ValueError(f"one of its values is larger than {MOST_UNPACKED:,} bytes")
    if not unpacker.eof:
        raise ValueError("one of its values is torn")
    return read_json(text)


def dictionary_of(texts: Collection[bytes] | Iterable[bytes], count: int) -> bytes:
    """What short texts have in common, for the packer to look back at: some of them, spread over all."""
    every = max(1, count // _SAMPLES)
    some = list(islice(texts, 0, None, every)) if count > 1 else []
    share = _WINDOW // max(1, len(some))
    return b"".join(text[-share:] for text in some)[-_WINDOW:]
