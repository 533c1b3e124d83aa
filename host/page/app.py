"""The page's routes: what everybody may see, and what staff may do once they have logged in."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from host.page.console import who_words
from host.page.guard import Guard, problem
from host.page.hub import Hub
from host.page.login_log import LoginLog
from host.page.orders import Orders, Wanted
from host.page.streams import TAB, Streams, TooMany
from host.staff.logins import WHOLE_S, Login, Logins
from host.staff.throttle import Gate
from host.table.service import TableService
from host.words.names import post_words
from host.words.refusals import sentence

STATIC = Path(__file__).parent / "static"
CHANGE_HEADER = "x-felt-change"
LONGEST_BODY = 4096
BODY_S = 5.0  # for sending it
ANSWER_S = 8.0  # the table answers within a second unless it is lost
MOST_ORDERS = 8  # waiting for the table at once

NO_LOGIN = "Log in first; a login ends after a while without use."
NO_TOKEN = "This page is older than the login. Load it again, then do it again."
NO_BODY = "The request is not as this page sends it. Load the page again."
BUSY = "The table has not answered what was asked before. Wait a moment, then do it again."
UNANSWERED = "The table has not answered. It may have been done: see what happened before you do it again."


class PageApp:
    def __init__(
        self, hub: Hub, service: TableService, gate: Gate, logins: Logins, clock: Callable[[], float]
    ) -> None:
        self.hub = hub
        self.service = service
        self.gate = gate
        self.logins = logins
        self.clock = clock
        self.streams = Streams(hub, clock)
        self.orders = Orders(service)
        self.login_log = LoginLog(service, clock)
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
        png = self.hub.sink.png
        return Response(png, media_type="image/png") if png else problem(404, "Nothing is drawn yet.")

    async def events(self, request: Request) -> Response:
        tab = request.query_params.get("tab", "")
        if not TAB.fullmatch(tab):
            return problem(400, NO_BODY)
        try:
            stream = self.streams.begin(tab, address_of(request))
        except TooMany as refusal:
            return problem(503, str(refusal))
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
            return problem(400, NO_BODY)
        address = address_of(request)
        admission = await asyncio.to_thread(self.gate.enter, name, pin, address, self.clock())
        member = admission.member
        if member is None:
            self.login_log.refused(self.gate, name, address, admission.refusal)
            refusal = problem(429 if admission.wait_s else 401, sentence(admission.refusal))
            if admission.wait_s:
                refusal.headers["Retry-After"] = str(admission.wait_s)
            return refusal
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
        if isinstance(login, Response):
            return login
        self.logins.close(request.cookies.get(cookie_name(request), ""))
        self.login_log.note("out", login.member.name, login.member.post)
        self.streams.wake()
        answer = JSONResponse({})
        answer.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
        return answer

    def login_of(self, request: Request, is_use: bool = True) -> Login | Response:
        """The login of a change; without it, or its change token, the refusal."""
        token = request.cookies.get(cookie_name(request), "")
        now = self.clock()
        if not token or self.logins.find(token, now, is_use=False) is None:
            return problem(401, NO_LOGIN)
        change = request.headers.get(CHANGE_HEADER, "")
        return self.logins.find_for_change(token, change, now, is_use) or problem(403, NO_TOKEN)

    # -- what staff do

    async def asked_for(self, request: Request, is_use: bool) -> tuple[Login, Wanted] | Response:
        """Who wants what; without either, the refusal."""
        login = self.login_of(request, is_use)
        if isinstance(login, Response):
            return login
        wanted = wanted_in(await read_body(request), login)
        return problem(400, NO_BODY) if wanted is None else (login, wanted)

    async def preview(self, request: Request) -> Response:
        """What something would lead to, before it is confirmed; nothing is sent to the table."""
        found = await self.asked_for(request, is_use=False)  # an open sheet asks by itself
        if isinstance(found, Response):
            return found
        _, wanted = found
        try:
            return JSONResponse({"lines": await self.asked(lambda: self.orders.foresee(wanted))})
        except ValueError as refusal:
            return problem(422, str(refusal))
        except TimeoutError:
            return problem(504, UNANSWERED)

    async def do(self, request: Request) -> Response:
        """Have the table do something; only its own answer says that it was done."""
        found = await self.asked_for(request, is_use=True)
        if isinstance(found, Response):
            return found
        login, wanted = found
        who = who_words(login.member.name, login.member.post)
        if self.waiting >= MOST_ORDERS:
            return problem(429, BUSY)
        self.waiting += 1
        try:
            _, sent = await self.asked(lambda: self.orders.send(wanted, who))
            answer = await patient(sent)
        except ValueError as refusal:
            return problem(422, str(refusal))
        except TimeoutError:
            return JSONResponse({"done": None, "words": UNANSWERED, "rule": ""})
        finally:
            self.waiting -= 1
        words, rule = self.orders.told(answer)
        return JSONResponse({"done": answer.done, "words": words, "rule": rule})

    async def asked(self, ask: Callable[[], Any]) -> Any:
        """What the table's thread says."""
        return await patient(self.service.call(ask))


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


def wanted_in(given: dict[str, Any], login: Login) -> Wanted | None:
    name, fields, number = given.get("action"), given.get("fields", {}), given.get("number")
    moment = given.get("moment", "")
    if not isinstance(name, str) or not isinstance(fields, dict) or not isinstance(moment, str):
        return None
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        return None
    return Wanted(name, fields, number, login.member.post, moment)


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
    app.state.page = page
    return app
