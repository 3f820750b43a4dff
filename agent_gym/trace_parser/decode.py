"""The bytes of one record in, its JSON value out; numbers and characters that JSON does not have are repaired."""

import json
import math

import orjson

from agent_gym.trace_parser.repairs import Repairs
from agent_gym.types import Json

__all__ = ["FLATTEN", "MAX_DEPTH", "TOO_DEEP", "check_depth", "decoded", "json_in", "may_be_deep"]

MAX_DEPTH = 250  # orjson writes 254 levels; what is set aside may come to lie up to four levels deeper
_LONG = 19  # digits of an integer from which on it may be too large to be written again; orjson reads it as a float
TOO_DEEP = f"it is nested deeper than {MAX_DEPTH} levels"
FLATTEN = "flatten the field that is nested so deeply, or leave it out"


def decoded(raw: bytes, repairs: Repairs) -> Json:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return _repaired(raw, error, repairs)


def json_in(text: str) -> Json:
    """What a text says as JSON, None where it says nothing or is nested too deeply."""
    try:
        value = orjson.loads(text)
        if len(text) > 2 * MAX_DEPTH and text.count("{") + text.count("[") > MAX_DEPTH:
            _write(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    return value


def may_be_deep(raw: bytes) -> bool:
    """No record with fewer brackets can be nested too deeply: most are spared the second look."""
    return raw.count(b"{") + raw.count(b"[") > MAX_DEPTH


def check_depth(value: Json, repairs: Repairs) -> None:
    """Refuses what is nested too deeply to be compared or written again without harm."""
    try:
        _write(value)
    except orjson.JSONEncodeError:
        raise repairs.error(TOO_DEEP, FLATTEN) from None


def _write(value: Json) -> None:
    orjson.dumps([[[[value]]]])


def _repaired(raw: bytes, error: orjson.JSONDecodeError, repairs: Repairs) -> Json:
    """Python's own reader takes NaN, infinities and lone surrogates, which many exporters write."""
    not_finite: list[str] = []
    try:
        text = raw.decode()
        value = json.loads(
            text,
            parse_constant=not_finite.append,
            parse_float=lambda digits: _finite(digits, not_finite),
            parse_int=lambda digits: int(digits) if len(digits) < _LONG else _finite(digits, not_finite),
        )
    except UnicodeDecodeError as wrong:
        found = f"byte 0x{raw[wrong.start]:02x} after {wrong.start} bytes of the record"
        hint = "save the file as UTF-8, for example with: iconv -f latin1 -t utf-8"
        raise repairs.error(f"it is not UTF-8 text: {found}", hint) from None
    except RecursionError:
        raise repairs.error(TOO_DEEP, FLATTEN) from None
    except ValueError:
        raise repairs.error(f"it is not JSON: {error.msg} ({_near(raw, error.pos)})", _json_hint(raw)) from None
    if not_finite:
        repairs.note("not_finite_as_null", len(not_finite))
        repairs.raw["not_finite"] = not_finite
    return _without_lone_surrogates(value, repairs)


def _finite(digits: str, not_finite: list[str]) -> float | None:
    number = float(digits)
    if math.isfinite(number):
        return number
    not_finite.append(digits[:100])
    return None


def _without_lone_surrogates(value: Json, repairs: Repairs) -> Json:
    try:
        text = json.dumps(value, ensure_ascii=False)
        clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if clean != text:
            repairs.note("lone_surrogate_replaced", clean.count("\ufffd") - text.count("\ufffd"))
        return orjson.loads(clean)
    except (RecursionError, ValueError):
        # What Python reads and orjson does not, once numbers and characters are mended, is its depth.
        raise repairs.error(TOO_DEEP, FLATTEN) from None


def _near(raw: bytes, at: int) -> str:
    if at >= len(raw.rstrip()):
        return "at its end"
    return f"near {raw[max(0, at - 10) : at + 20].decode('utf-8', 'replace')!r}"


def _json_hint(raw: bytes) -> str:
    if not raw.lstrip().startswith((b"{", b"[")):
        return "expected one JSON object a line, or one JSON array of conversations"
    if raw.startswith(b"{'") or b"': " in raw:
        return "JSON needs double quotes: write the record with json.dumps, not with str or repr"
    return "write each conversation with a JSON library, one a line"
