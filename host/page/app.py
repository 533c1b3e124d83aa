"""The page's routes: what everybody may see, and what staff may do once they have logged in."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from host.page.console import who_words
from host.page.guard import Guard, Refusal, answer_refusal
from host.page.hub import Hub
from host.page.login_log import LoginLog
from host.page.orders import Orders, Wanted
from host.page.streams import TAB, Streams
from host.staff.logins import WHOLE_S, Login, Logins
from host.staff.throttle import Gate
from host.table.service import TableService
from host.words.names import post_words
from host.words.page import PAGE
from host.words.refusals import refusal_words, sentence

STATIC = Path(__file__).parent / "static"
CHANGE_HEADER = "x-felt-change"
LONGEST_BODY = 4096
BODY_S = 5.0  # for sending it
ANSWER_S = 8.0  # the table answers within a second unless it is lost
MOST_ORDERS = 8  # waiting for the table at once


@dataclass
class PageApp:
    hub: Hub
    service: TableService
    gate: Gate
    logins: Logins
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self.streams = Streams(self.hub, self.clock)
        self.orders = Orders(self.service)
        self.login_log = LoginLog(self.service, self.clock)
        self.waiting = 0
        self.loop: asyncio.AbstractEventLoop | None = None  # while it is served

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.loop = asyncio.get_running_loop()
        self.hub.wake = lambda: self.in_loop(self.streams.wake)
        try:
            yield
        finally:
            self.hub.wake = lambda: None
            self.loop = None
            self.streams.close()

    def in_loop(self, act: Callable[[], None]) -> None:
        """Have something done in the page's loop, from any thread."""
        loop = self.loop
        with suppress(RuntimeError):  # it may just have closed
            if loop:
                loop.call_soon_threadsafe(act)

    def end_streams(self) -> None:
        """Streams never end by themselves, so a server that stops would wait for them. From any thread."""
        self.in_loop(self.streams.close)

    # -- for everybody

    async def index(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def display(self, request: Request) -> Response:
        if not self.hub.png:
            raise Refusal(404, "Nothing is drawn yet.")
        return Response(self.hub.png, media_type="image/png")

    async def events(self, request: Request) -> Response:
        tab = request.query_params.get("tab", "")
        if not TAB.fullmatch(tab):
            raise Refusal(400, PAGE["no_body"])
        stream = self.streams.begin(tab, address_of(request))
        token = request.cookies.get(cookie_name(request), "")
        follow = self.streams.follow(stream, lambda: self.describe_me(token))
        return StreamingResponse(follow, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    def describe_me(self, token: str) -> dict[str, Any] | None:
        """Who is logged in with this token; a stream that goes on by itself is no use of the login."""
        now = self.clock()
        login = self.logins.find(token, now, is_use=False) if token else None
        if login is None:
            return None
        member = login.member
        return {
            "name": member.name,
            "post": member.post,
            "title": post_words(member.post),
            "change": self.logins.change_of(token, now),
        }

    # -- login

    async def login(self, request: Request) -> Response:
        given = await read_body(request)
        name, pin = given.get("name"), given.get("pin")
        if not isinstance(name, str) or not isinstance(pin, str):
            raise Refusal(400, PAGE["no_body"])
        address = address_of(request)
        admission = await asyncio.to_thread(self.gate.enter, name, pin, address, self.clock())
        member = admission.member
        if member is None:
            self.login_log.refused(self.gate, name, address, admission.refusal)
            wait = {"Retry-After": str(admission.wait_s)} if admission.wait_s else None
            raise Refusal(429 if wait else 401, sentence(admission.refusal), wait)
        self.logins.close(request.cookies.get(cookie_name(request), ""))
        opened = self.logins.open(member, self.clock())
        self.login_log.note("in", member.name, member.post, address)
        answer = JSONResponse({"name": member.name, "title": post_words(member.post), "change": opened.change})
        answer.set_cookie(
            cookie_name(request), opened.token, max_age=WHOLE_S, httponly=True, samesite="strict", path="/"
        )
        return answer

    async def logout(self, request: Request) -> Response:
        login = self.login_of(request)
        self.logins.close(request.cookies.get(cookie_name(request), ""))
        self.login_log.note("out", login.member.name, login.member.post)
        self.streams.wake()
        answer = JSONResponse({})
        answer.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
        return answer

    def login_of(self, request: Request, is_use: bool = True) -> Login:
        """The login of a change; without it, or its change token, a Refusal."""
        token = request.cookies.get(cookie_name(request), "")
        now = self.clock()
        if not token or self.logins.find(token, now, is_use=False) is None:
            raise Refusal(401, PAGE["no_login"])
        login = self.logins.find_for_change(token, request.headers.get(CHANGE_HEADER, ""), now, is_use)
        if login is None:
            raise Refusal(403, PAGE["no_token"])
        return login

    # -- what staff do

    async def asked_for(self, request: Request, is_use: bool) -> tuple[Login, Wanted]:
        """Who wants what; without either, a Refusal."""
        login = self.login_of(request, is_use)
        given = await read_body(request)
        name, fields, number = given.get("action"), given.get("fields", {}), given.get("number")
        moment = given.get("moment", "")
        is_number = number is None or type(number) is int
        if not (isinstance(name, str) and isinstance(fields, dict) and isinstance(moment, str) and is_number):
            raise Refusal(400, PAGE["no_body"])
        return login, Wanted(name, fields, number, login.member.post, moment)

    async def preview(self, request: Request) -> Response:
        """What something would lead to, before it is confirmed; nothing is sent to the table."""
        _, wanted = await self.asked_for(request, is_use=False)  # an open sheet asks by itself
        try:
            return JSONResponse({"lines": await patient(self.service.call(lambda: self.orders.foresee(wanted)))})
        except ValueError as refusal:
            raise Refusal(422, str(refusal)) from None
        except TimeoutError:
            raise Refusal(504, PAGE["unanswered"]) from None

    async def do(self, request: Request) -> Response:
        """Have the table do something; only its own answer says that it was done."""
        login, wanted = await self.asked_for(request, is_use=True)
        who = who_words(login.member.name, login.member.post)
        if self.waiting >= MOST_ORDERS:
            raise Refusal(429, PAGE["busy"])
        self.waiting += 1
        try:
            sent = await patient(self.service.call(lambda: self.orders.send(wanted, who)))
            answer = await patient(sent)
        except ValueError as refusal:
            raise Refusal(422, str(refusal)) from None
        except TimeoutError:
            return JSONResponse({"done": None, "words": PAGE["unanswered"], "rule": ""})
        finally:
            self.waiting -= 1
        if answer.done:
            return JSONResponse({"done": True, "words": "Done.", "rule": ""})
        words = sentence(refusal_words(answer.code, answer.detail))
        return JSONResponse({"done": False, "words": words, "rule": answer.paragraph or ""})


async def patient(future: "Future[Any]") -> Any:
    """The result, if it comes soon. What was asked is not taken back if it does not."""
    return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), ANSWER_S)


async def read_body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent; an empty one for anything else, too long or too slow."""
    body = b""
    try:
        async with asyncio.timeout(BODY_S):
            async for piece in request.stream():
                body += piece
                if len(body) > LONGEST_BODY:
                    return {}
        given = json.loads(body)
    except (ValueError, RecursionError, TimeoutError, ClientDisconnect):
        return {}
    return given if isinstance(given, dict) else {}


def address_of(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def cookie_name(request: Request) -> str:
    """Cookies do not tell ports apart, and a machine may serve several tables."""
    return f"felt_{request.url.port or 80}"


def make_app(
    hub: Hub, service: TableService, gate: Gate, logins: Logins, clock: Callable[[], float]
) -> Starlette:
    """The page of one table. `hub` must be among the service's observers; the clock's seconds must only grow."""
    page = PageApp(hub, service, gate, logins, clock)
    routes = [
        Route("/", page.index),
        Route("/events", page.events),
        Route("/display.png", page.display),
        Route("/login", page.login, methods=["POST"]),
        Route("/logout", page.logout, methods=["POST"]),
        Route("/preview", page.preview, methods=["POST"]),
        Route("/do", page.do, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Guard)], lifespan=page.lifespan)
    app.add_exception_handler(Refusal, answer_refusal)
    app.state.page = page
    return app
