"""The real tools of the sample business: a call in, a result and whether it is an error out."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import NamedTuple

from agent_gym.sample.backend import accounts, billing, contracts, service
from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.backend.session import Arguments, Session
from agent_gym.sample.backend.validation import check
from agent_gym.sample.database import Database
from agent_gym.sample.tables import table
from agent_gym.types import Json

__all__ = ["TOOLS", "Answer", "Backend"]

TOOLS: tuple[Mapping[str, Json], ...] = tuple(table("tools"))

_SCHEMAS = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
_HANDLERS: Mapping[str, Callable[[Session, Arguments], Json]] = {
    handler.__name__: handler
    for handler in (
        accounts.find_account,
        accounts.lookup_account,
        accounts.verify_identity,
        accounts.update_address,
        accounts.update_contact,
        contracts.get_subscription,
        contracts.list_plans,
        contracts.change_plan,
        contracts.cancel_subscription,
        contracts.set_auto_renew,
        contracts.apply_coupon,
        billing.list_invoices,
        billing.get_invoice,
        billing.issue_refund,
        service.list_devices,
        service.restart_device,
        service.replace_device,
        service.check_outage,
        service.create_ticket,
        service.list_tickets,
        service.escalate_to_human,
    )
}


class Answer(NamedTuple):
    """What a tool said."""

    result: Json
    is_error: bool


class Backend:
    """The business during one conversation: starts from a copy of the database and keeps its own state."""

    def __init__(self, database: Database) -> None:
        self._session = Session(database.copy())

    @property
    def database(self) -> Database:
        """The tables as the calls so far have left them."""
        return self._session.database

    def call(self, name: str, arguments: Mapping[str, Json]) -> Answer:
        """Run one tool; refusals and malformed calls are answers with `is_error`."""
        handler = _HANDLERS.get(name)
        if handler is None:
            return _error("unknown_tool", f"There is no tool {name}.")
        try:
            check(_SCHEMAS[name], arguments)
            # A copy, so that whoever holds the answer cannot change the business.
            return Answer(deepcopy(handler(self._session, arguments)), is_error=False)
        except Refusal as refusal:
            return _error(refusal.code, refusal.message)


def _error(code: str, message: str) -> Answer:
    return Answer({"error": {"code": code, "message": message}}, is_error=True)
