"""Checks whether this computer can run the table: versions, clock, disk, display and page. Changes nothing."""

import errno
import io
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from host.config.checks import is_loopback
from host.display.config import DisplayConfig, open_sink
from host.display.sinks import DisplayFailed
from host.doctor.files import LogFacts
from host.doctor.findings import LOOK, OK, WRONG, Finding, Subject, is_accessible, look, ok, unnamed, wrong
from host.pico.mpy import ROOT

EARLIEST = 1_767_225_600  # 2026-01-01, before which no felt was made
LATEST = 4_102_444_800  # 2100-01-01
SLACK_S = 5
FULL_BYTES = 100_000_000
LOW_BYTES = 1_000_000_000
LOW_DAYS = 30
PANEL_PACKAGES = {"max7219": "spidev", "ws2812": "_rpi_ws281x", "hub75": "rgbmatrix"}
PAGE_FAILURES = {
    errno.EADDRINUSE: "page.in_use",
    errno.EACCES: "page.denied",
    errno.EADDRNOTAVAIL: "page.no_address",
}


# Versions


class Asked(NamedTuple):
    """What felt needs: its own version, Python's, and packages."""

    felt: str
    python: SpecifierSet
    packages: list[Requirement]


def asked_for(root: Path = ROOT) -> Asked:
    """As pyproject.toml says in a checkout, where it may be newer than what was installed; else as installed."""
    file = root / "pyproject.toml"
    if file.exists():
        project = tomllib.loads(file.read_text())["project"]
        felt, python, packages = project["version"], project["requires-python"], project["dependencies"]
    else:
        about = metadata("felt")
        felt, python, packages = about["Version"], about["Requires-Python"], requires("felt") or []
    read = [Requirement(one) for one in packages]
    needed = [one for one in read if one.marker is None or one.marker.evaluate({"extra": ""})]
    return Asked(felt, SpecifierSet(python), needed)


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def check_versions(
    asked: Asked | None = None, has: Callable[[str], str | None] = installed, python: str | None = None
) -> list[Finding]:
    asked = asked or asked_for()
    python = python or ".".join(map(str, sys.version_info[:3]))
    findings = []
    if not asked.python.contains(python, prereleases=True):
        findings.append(wrong("versions.python", python=python, wanted=str(asked.python)))
    for wanted in asked.packages:
        found = has(wanted.name)
        if found is None or not wanted.specifier.contains(found, prereleases=True):
            code = "versions.package" if found else "versions.missing"
            fields = {"package": wanted.name, "found": found, "wanted": str(wanted), "pip": sys.executable}
            findings.append(wrong(code, **fields))
    own = has("felt")
    if own != asked.felt:
        findings.append(look("versions.felt", found=own, wanted=asked.felt))
    return findings or [ok("versions.fine", felt=own, python=python, count=len(asked.packages))]


# The clock


def check_clock(
    facts: LogFacts, now: float, synchronised: Callable[[], bool | None] | None = None
) -> list[Finding]:
    shown = time_words(now)
    if not EARLIEST <= now <= LATEST:
        return [wrong("clock.impossible", now=shown)]
    last = facts.last_seconds
    if last is not None and last - now > SLACK_S:
        return [wrong("clock.behind_log", now=shown, last=time_words(last))]
    kept = {True: ok("clock.network"), False: look("clock.no_network"), None: look("clock.unknown")}
    return [ok("clock.fine", now=shown), kept[(synchronised or network_time)()]]


def time_words(seconds: float) -> str:
    """Local time with its zone."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")


def network_time(command: str = "timedatectl") -> bool | None:
    """Whether the network sets the clock; None if that is unknown."""
    words = [command, "show", "--property", "NTPSynchronized", "--value"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=5, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {"yes": True, "no": False}.get(done.stdout.strip()) if done.returncode == 0 else None


# The disk


def check_disk(
    subject: Subject, facts: LogFacts, usage: Callable[[Path], Any] = shutil.disk_usage
) -> list[Finding]:
    findings = []
    seen = set()
    for what, path in (("log", subject.log), ("checkpoints", subject.checkpoints)):
        if path is None:
            continue  # reported for the configuration
        folder = path.parent
        if not os.path.isdir(folder):  # also False for a folder that may not be read
            findings.append(wrong("disk.no_folder", folder=folder, what=what))
            continue
        if not is_writable(folder) or (path.exists() and not is_writable(path)):
            findings.append(wrong("disk.not_writable", what=what, path=path))
        if folder.stat().st_dev not in seen:
            seen.add(folder.stat().st_dev)
            findings.append(room_finding(what, folder, usage(folder).free, facts.bytes_a_day))
    return findings


def is_writable(path: Path) -> bool:
    return is_accessible(path, os.W_OK | (os.X_OK if path.is_dir() else os.R_OK))


def room_finding(what: str, folder: Path, free: int, bytes_a_day: float | None) -> Finding:
    days = int(free / bytes_a_day) if bytes_a_day else None
    is_low = free < LOW_BYTES or (days is not None and days < LOW_DAYS)
    mark = WRONG if free < FULL_BYTES else LOOK if is_low else OK
    code = "disk.room" if days is None else "disk.room_days"
    return Finding(mark, code, {"what": what, "folder": folder, "free": round(free / 1e9, 1), "days": days})


# The display


def check_display(
    subject: Subject,
    has_module: Callable[[str], object] = find_spec,
    devices: Path = Path("/dev"),
    is_root: bool | None = None,
) -> list[Finding]:
    """A panel is not opened, as that would light it or blank its picture."""
    config = subject.display
    if config is None:
        return [unnamed("display", "display", "kind")]
    if config.kind not in PANEL_PACKAGES:
        return [check_harmless(config)]
    package = PANEL_PACKAGES[config.kind]
    findings = []
    if not has_module(package):
        findings.append(wrong(f"display.no_{config.kind}", package=package))
    if config.kind == "max7219":
        return findings or [check_spi(devices / f"spidev{config.spi_port}.{config.spi_device}")]
    if not (os.geteuid() == 0 if is_root is None else is_root):
        findings.append(wrong("display.root", kind=config.kind))
    return findings or [ok("display.panels", kind=config.kind, size=config.size)]


def check_harmless(config: DisplayConfig) -> Finding:
    """A terminal or a picture can be opened; nothing is drawn on this terminal."""
    stream = sys.stdout if config.kind == "terminal" else io.StringIO()
    try:
        open_sink(config, stream).close()
    except DisplayFailed as failure:
        return wrong("display.failed_to_open", failure=failure.args)
    if config.kind == "png":
        if not is_writable(Path(config.file).parent):
            return wrong("display.not_writable", path=config.file)
        return ok("display.png", size=config.size, path=config.file)
    if config.kind == "terminal":
        return ok("display.terminal_fits" if stream.isatty() else "display.terminal", size=config.size)
    return ok("display.none")


def check_spi(path: Path) -> Finding:
    if not path.exists():
        return wrong("display.no_spi", path=path)
    if not is_accessible(path, os.R_OK | os.W_OK):
        return wrong("display.spi_denied", path=path)
    return ok("display.spi", path=path)


# The page


def check_page(subject: Subject, writer: int | None = None) -> list[Finding]:
    page = subject.page
    if page is None:
        return [unnamed("page", "page", "address")]
    if page.off:
        return [ok("page.off")]
    where = {"address": page.address, "port": page.port}
    findings = [] if is_loopback(page.address) else [look("page.exposed", **where)]
    failure = bind_failure(page.address, page.port)
    if failure is None:
        return [*findings, ok("page.free", **where)]
    if failure.errno == errno.EADDRINUSE and writer is not None:
        return [*findings, ok("page.served", **where, pid=writer)]
    code = PAGE_FAILURES.get(failure.errno or 0, "page.closed")
    return [*findings, wrong(code, **where, reason=failure.strerror or str(failure))]


def bind_failure(address: str, port: int) -> OSError | None:
    """Why a page cannot be served there; None if it can. The port is bound for a moment, without listening."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as error:
        return error
    return None
