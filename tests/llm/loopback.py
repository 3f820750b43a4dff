"""A server on this machine that gives prepared answers and keeps what it was sent."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

KEY = "planted-key-5f3a9c"
LONG = "x" * 12 + KEY + "x" * 99  # whoever shortens this before scrubbing it shows half the key


class Answer(NamedTuple):
    status: int
    body: object  # bytes as they are, anything else as JSON; None: no answer until the server closes
    location: str = ""


class Received(NamedTuple):
    path: str
    headers: dict[str, str]
    body: Any


class Loopback:
    """Answers in turn, the last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.received: list[Received] = []
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.received.append(Received(self.path, headers, json.loads(body)))
                outer.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def expect(self, *answers: Answer) -> Self:
        """Forgets what was, and answers so from now on."""
        self.answers[:] = answers
        self.received.clear()
        return self

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        status, body, location = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if body is None:
            self.closing.wait()
            return
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(sent)))
        if location:
            handler.send_header("Location", location)
        handler.send_header("Retry-After-Ms", "1")  # the OpenAI SDK waits as long as it is told
        handler.end_headers()
        handler.wfile.write(sent)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
