"""The tables of the business: records by key, replaced rather than changed, so that a copy is cheap."""

from collections.abc import Mapping

from agent_gym.types import Json

__all__ = ["TABLES", "Database", "Record"]

Record = Mapping[str, Json]
TABLES = ("customers", "subscriptions", "plans", "invoices", "devices", "tickets", "coupons", "outages")


class Database:
    """Eight tables. Records are never changed in place: `update` puts a new record in the old one's stead."""

    def __init__(self, tables: Mapping[str, Mapping[str, Record]]) -> None:
        self._tables: dict[str, dict[str, Record]] = {name: dict(tables.get(name, {})) for name in TABLES}
        self._before: dict[tuple[str, str], Record | None] = {}

    def copy(self) -> "Database":
        return Database(self._tables)

    def get(self, name: str, key: str) -> Record | None:
        return self._tables[name].get(key)

    def all(self, name: str) -> list[Record]:
        return list(self._tables[name].values())

    def of_account(self, name: str, account_id: str) -> list[Record]:
        """The records of one account, oldest first."""
        return [record for record in self._tables[name].values() if record["account_id"] == account_id]

    def put(self, name: str, key: str, record: Record) -> None:
        self._before.setdefault((name, key), self.get(name, key))
        self._tables[name][key] = record

    def update(self, name: str, key: str, **changes: Json) -> Record:
        record = {**self._tables[name][key], **changes}
        self.put(name, key, record)
        return record

    def changes(self) -> dict[tuple[str, str], Record]:
        """(table, key) → record, for every record that is new or differs from when this copy was made."""
        return {
            (name, key): self._tables[name][key]
            for (name, key), before in self._before.items()
            if self._tables[name][key] != before
        }
