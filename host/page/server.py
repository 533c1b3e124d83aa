"""Serves the page: uvicorn in a thread with a loop of its own."""

import errno
import socket
import threading
import time

import uvicorn
from starlette.applications import Starlette

from host.config.checks import is_loopback
from host.page.addresses import page_url
from host.page.streams import STALLED_S
from host.words.failures import Failure

TAKES_NOTHING = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux has it
START_S = 10
STOP_S = 5


class PageFailed(Failure):
    """The page cannot be served."""


class PageServer:
    """Serves what `make_app` made, at `address`; anything but loopback lets the network see the table.

    Port 0 is any that is free; `any_port` takes one if another program has the port.
    """

    def __init__(self, app: Starlette, address: str, port: int, any_port: bool = False) -> None:
        self.app = app
        self.address = address
        self.port = port
        self.any_port = any_port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def reach(self) -> str:
        """Who can see it, in a sentence for the person who starts it."""
        url = page_url(self.address, self.port)
        if is_loopback(self.address):
            return f"The page is at {url}, for this machine only."
        return f"The page is at {url}. Others on the network can see it, and nothing between is encrypted."

    def start(self) -> None:
        """Returns when it listens; PageFailed if it cannot."""
        try:
            listener = listen(self.address, self.port)
        except PageFailed as failure:
            if not self.any_port or failure.code != "server.in_use":
                raise
            listener = listen(self.address, 0)
        if TAKES_NOTHING:
            # Handed on to every connection: the system ends one whose other end takes nothing for so long, and
            # with it everything that waits to send there.
            listener.setsockopt(socket.IPPROTO_TCP, TAKES_NOTHING, STALLED_S * 1000)
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            self.app,
            log_config=None,
            access_log=False,
            lifespan="on",
            server_header=False,
            proxy_headers=False,  # or anybody on this machine could say that he is another
            limit_concurrency=200,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=2,
            ws="none",
        )
        server = self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listener]}, name="page", daemon=True
        )
        self._thread.start()
        give_up_at = time.monotonic() + START_S
        while not server.started:
            if not self._thread.is_alive() or time.monotonic() > give_up_at:
                listener.close()
                server.should_exit = True
                raise PageFailed("server.not_started")
            time.sleep(0.01)

    def stop(self) -> None:
        if self._server and self._thread:
            self._server.should_exit = True
            self.app.state.page.end_streams()
            self._thread.join(STOP_S)


def listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PageFailed("server.in_use", address=address, port=port) from None
        why = error.strerror or str(error)
        raise PageFailed("server.not_listening", address=address, port=port, reason=why) from None
    except (OverflowError, UnicodeError):
        raise PageFailed("server.no_address", address=address, port=port) from None
