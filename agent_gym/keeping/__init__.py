"""How what was mined is kept: frozen values as JSON without code, their large fields on shelves, read when needed.

Read `codec` (a value as JSON), `shelves` (what a part is kept in, and how it looks when it comes back), `shelving`
(which fields stand on shelves); `recent` is for what is worked out from them.
"""

from agent_gym.keeping.codec import Codec, Swap
from agent_gym.keeping.exact_json import read_json, written_json
from agent_gym.keeping.recent import Recent
from agent_gym.keeping.shelves import Keeper, Kept, KeptMapping, Shelf, entries_of, found_in
from agent_gym.keeping.shelving import Apart, Shelving

__all__ = [
    "Apart",
    "Codec",
    "Keeper",
    "Kept",
    "KeptMapping",
    "Recent",
    "Shelf",
    "Shelving",
    "Swap",
    "entries_of",
    "found_in",
    "read_json",
    "written_json",
]
