"""A model's endpoint on this machine that says what it is told to: OpenAI's chat completions, streamed or not."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Say = Callable[[dict[str, Any]], dict[str, Any]]  # a request's body → the assistant's message


@contextmanager
def endpoint(say: Say) -> Iterator[str]:
    """The base address; `say` answers every request."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            message = say(body)
            reason = "tool_calls" if message.get("tool_calls") else "stop"
            common = {"id": "x", "created": 0, "model": body["model"]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            if body.get("stream"):
                calls = [call | {"index": at} for at, call in enumerate(message.get("tool_calls") or ())]
                delta = message | ({"tool_calls": calls} if calls else {})
                chunk = common | {"object": "chat.completion.chunk"}
                chunks = [
                    chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                    chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
                ]
                self._send(
                    "text/event-stream", "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n"
                )
                return
            choice = {"index": 0, "message": message, "finish_reason": reason}
            answer = common | {"object": "chat.completion", "choices": [choice], "usage": usage}
            self._send("application/json", json.dumps(answer))

        def _send(self, kind: str, text: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()
