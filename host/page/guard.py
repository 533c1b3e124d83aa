"""What every request must be, and what every answer carries: whose page it is, and what it may do.

A name that somebody else's DNS leads here is not served (so no page of theirs becomes this one's origin), and a
change comes only from this page itself.
"""

import ipaddress
import re
import socket
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from host.words.page import PAGE

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?")
JSON = "application/json"


class Guard:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        machine = socket.gethostname().lower()
        self.names = {"localhost", machine, f"{machine}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self.refusal(scope)
        await (refusal or self.app)(scope, receive, send_guarded)

    def refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.is_own(host):
            return problem(421, PAGE["wrong_host"])
        origin = headers.get("origin")
        is_change = scope["method"] not in ("GET", "HEAD")
        if (origin is None and is_change) or (origin is not None and not is_origin(origin, host)):
            return problem(403, PAGE["wrong_origin"])
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and (
            is_change or scope["path"] != "/"
        ):
            return problem(403, PAGE["wrong_origin"])
        if is_change and headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            return problem(415, PAGE["wrong_type"])
        return None

    def is_own(self, host: str) -> bool:
        """Whether the page may be asked for under this name: a plain address, or this machine's own name."""
        found = HOST.fullmatch(host)
        if not found:
            return False
        name = found[1].strip("[]").lower().removesuffix(".")
        return name in self.names or is_address(name)


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_origin(origin: str, host: str) -> bool:
    return origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())


def problem(status: int, words: str) -> JSONResponse:
    return JSONResponse({"problem": words}, status)


class Refusal(HTTPException):
    """Why a request is not served: a status, and words for the person at the page."""


async def answer_refusal(request: Any, refusal: Any) -> JSONResponse:
    return JSONResponse({"problem": refusal.detail}, refusal.status_code, refusal.headers)
