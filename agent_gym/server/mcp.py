"""A gym in, its tools as an MCP server out: over stdio for one client, over HTTP for many.

MCP's newer versions keep no session between two requests, so over HTTP the address names the world a client plays in:
`/mcp?world=NAME`. A client of an older version has a world by its session.
"""

from importlib import metadata
from typing import Any

from agent_gym import __version__
from agent_gym.errors import AgentGymError, MissingExtra
from agent_gym.server.limits import Limits
from agent_gym.server.worlds import Worlds
from agent_gym.text import as_text

__all__ = ["mcp_app", "mcp_server", "require_mcp", "run_stdio"]

_ONLY = "the only client"
_NO_WORLD = (
    "Name a world of your own in the server's address, as in /mcp?world=my-run: calls with the same name share one, "
    "and another name starts afresh."
)


def require_mcp() -> None:
    try:
        found = metadata.version("mcp")
        metadata.version("uvicorn")
    except metadata.PackageNotFoundError as error:
        raise MissingExtra("mcp", f"{error.name} is not installed") from None
    if found.split(".")[0] != "2":
        raise MissingExtra("mcp", f"mcp {found} is installed, and this server supports mcp>=2,<3")


def mcp_server(worlds: Worlds) -> Any:
    """The protocol's side: a list of tools, and calls that go to the caller's own world."""
    require_mcp()
    import anyio.to_thread  # noqa: PLC0415  an optional extra
    import mcp_types as types  # noqa: PLC0415
    from mcp.server.lowlevel import Server  # noqa: PLC0415

    tools = [
        types.Tool(
            name=tool["function"]["name"],
            description=tool["function"].get("description") or "",
            input_schema=tool["function"].get("parameters") or {"type": "object"},
        )
        for tool in worlds.mocker.tools
    ]

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> Any:
        name = _world(context.request)
        if name is None:
            return told(_NO_WORLD, is_error=True)
        try:  # in a thread: a slow call delays nobody else
            answer = await anyio.to_thread.run_sync(worlds.call, name, params.name, params.arguments or {})
        except AgentGymError as error:
            return told(str(error), is_error=True)
        meta = {"agent-gym/source": answer.source, "agent-gym/confidence": answer.confidence}
        return told(as_text(answer.result), is_error=answer.is_error, _meta=meta)

    def told(text: str, **more: Any) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], **more)

    return Server("agent-gym", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _world(request: Any) -> str | None:
    """Whose world: the address says it, or an older client's session; over stdio there is one client."""
    if request is None:
        return _ONLY
    named = request.query_params.get("world")
    session = request.headers.get("mcp-session-id")
    return f"named {named}" if named else f"session {session}" if session else None


def mcp_app(worlds: Worlds, limits: Limits) -> Any:
    """The ASGI application; nothing guards it yet."""
    server = mcp_server(worlds)
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  an optional extra

    # Host and Origin are the guard's business: the protocol's own check knows no names but this machine's.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server.streamable_http_app(
        transport_security=unchecked,
        max_request_body_size=limits.size,
        max_sessions=limits.sessions,
        session_idle_timeout=limits.idle_seconds,
    )


def run_stdio(worlds: Worlds) -> None:
    """Until the client hangs up."""
    server = mcp_server(worlds)
    import anyio  # noqa: PLC0415  comes with the extra
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
