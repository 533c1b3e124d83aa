"""Is the computer fit to run the table: versions, clock, disk, display and page? Nothing is changed or lit."""

import errno
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from host.config.checks import is_loopback
from host.display.config import DisplayConfig, open_sink, read_display
from host.display.sinks import DisplayFailed
from host.doctor.files import LogFacts
from host.doctor.findings import LOOK, OK, WRONG, Finding, Subject, in_two
from host.pico.mpy import ROOT

VERSIONS, CLOCK, DISK, DISPLAY, PAGE = "versions", "clock", "disk", "display", "page"
EARLIEST = 1_767_225_600  # 2026-01-01, before which no felt was made
LATEST = 4_102_444_800  # 2100-01-01
SLACK_S = 5
FULL_BYTES = 100_000_000
LOW_BYTES = 1_000_000_000
LOW_DAYS = 30
MANY_DAYS = 3650
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*([^;]*)")
CONDITION = re.compile(r"(>=|<=|==|!=|<|>|~=)\s*([0-9][0-9.]*)")


# Versions


class Asked(NamedTuple):
    """What felt asks for: its own version, Python's, and those of packages by name."""

    felt: str
    python: str
    packages: dict[str, str]


def asked_for(root: Path = ROOT) -> Asked:
    """As pyproject.toml says in a checkout, where it may be newer than what was installed; else as installed."""
    file = root / "pyproject.toml"
    if file.exists():
        project = tomllib.loads(file.read_text())["project"]
        return Asked(project["version"], project["requires-python"], named(project["dependencies"]))
    about = metadata("felt")
    wanted = [one for one in requires("felt") or [] if "extra ==" not in one]
    return Asked(about["Version"], about["Requires-Python"], named(wanted))


def named(requirements: list[str]) -> dict[str, str]:
    read = [REQUIREMENT.match(one) for one in requirements]
    return {found[1]: found[2].strip() for found in read if found}


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def fulfils(has: str, conditions: str) -> bool:
    """Whether a version is one that conditions such as `>=11,<14` allow. Letters behind its numbers count for
    nothing."""
    for sign, wanted in CONDITION.findall(conditions):
        have, want = numbers(has), numbers(wanted)
        length = max(len(have), len(want))
        have, want = (part + (0,) * (length - len(part)) for part in (have, want))
        kept = numbers(wanted)[:-1]
        is_right = {
            ">=": have >= want,
            "<=": have <= want,
            "==": have == want,
            "!=": have != want,
            "<": have < want,
            ">": have > want,
            "~=": have >= want and have[: len(kept)] == kept,
        }[sign]
        if not is_right:
            return False
    return True


def numbers(text: str) -> tuple[int, ...]:
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def check_versions(
    asked: Asked | None = None, has: Callable[[str], str | None] = installed, python: str | None = None
) -> list[Finding]:
    asked = asked or asked_for()
    python = python or ".".join(map(str, sys.version_info[:3]))
    findings = []
    if not fulfils(python, asked.python):
        todo = "install a newer Python, then `make setup` in a fresh checkout"
        findings.append(Finding(VERSIONS, WRONG, f"Python {python} runs, and felt asks for {asked.python}", todo))
    for package, conditions in asked.packages.items():
        found = has(package)
        wanted = f"{package}{conditions}"
        todo = f"`make setup` in the checkout, or {sys.executable} -m pip install '{wanted}'"
        if found is None:
            findings.append(Finding(VERSIONS, WRONG, f"the package {package} is missing", todo))
        elif not fulfils(found, conditions):
            findings.append(Finding(VERSIONS, WRONG, f"{package} {found} is there, felt asks for {wanted}", todo))
    own = has("felt")
    if own != asked.felt:
        found = f"felt {own or 'of no version'} is installed, and its files are those of {asked.felt}"
        findings.append(Finding(VERSIONS, LOOK, found, "`make setup` in the checkout installs it anew"))
    if not findings:
        words = f"felt {own} on Python {python}; its {len(asked.packages)} packages are as it asks"
        findings.append(Finding(VERSIONS, OK, words))
    return findings


# The clock


def check_clock(
    facts: LogFacts, now: float, synchronised: Callable[[], bool | None] | None = None
) -> list[Finding]:
    synchronised = synchronised or network_time
    local = time.localtime(now)
    shown = f"{time.strftime('%Y-%m-%d %H:%M:%S', local)} {zone_words(local)}"
    setting = "set it: sudo timedatectl set-ntp true, or sudo date -s '2026-12-31 23:59:00'"
    if not EARLIEST <= now <= LATEST:
        return [Finding(CLOCK, WRONG, f"it says {shown}, which cannot be", setting)]
    last = facts.last_seconds
    if last is not None and last - now > SLACK_S:
        record = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(last))
        return [Finding(CLOCK, WRONG, f"it says {shown}, before the log's last record of {record}", setting)]
    findings = [Finding(CLOCK, OK, f"it says {shown}")]
    is_kept = synchronised()
    if is_kept:
        findings.append(Finding(CLOCK, OK, "it is set by the network"))
    elif is_kept is None:
        todo = "make sure that something does, for the log's times are this clock's"
        findings.append(Finding(CLOCK, LOOK, "whether the network sets it is unknown", todo))
    else:
        findings.append(Finding(CLOCK, LOOK, "the network does not set it", "sudo timedatectl set-ntp true"))
    return findings


def zone_words(local: time.struct_time) -> str:
    minutes = (local.tm_gmtoff or 0) // 60
    offset = f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    return f"{local.tm_zone} ({offset})" if local.tm_zone else offset


def network_time(command: str = "timedatectl") -> bool | None:
    """Whether the network sets the clock; None where nobody can tell."""
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
    for what, path in (("the log", subject.log), ("the checkpoints", subject.checkpoints)):
        if path is None:
            continue  # said of the configuration
        folder = path.parent
        if not os.path.isdir(folder):  # False, too, for one that we may not look into
            findings.append(Finding(DISK, WRONG, f"there is no folder {folder} for {what}", f"mkdir -p {folder}"))
            continue
        if not is_writable(folder) or (path.exists() and not is_writable(path)):
            todo = "run felt as its owner, or see to its permissions; `mount` tells if the disk is read-only"
            findings.append(Finding(DISK, WRONG, f"{what}, {path}, cannot be written by whoever runs this", todo))
        if folder.stat().st_dev not in seen:
            seen.add(folder.stat().st_dev)
            findings.append(room_finding(what, folder, usage(folder).free, facts.bytes_a_day))
    return findings


def is_writable(path: Path) -> bool:
    rights = os.W_OK | (os.X_OK if path.is_dir() else os.R_OK)
    return os.access(path, rights, effective_ids=os.access in os.supports_effective_ids)


def room_finding(what: str, folder: Path, free: int, bytes_a_day: float | None) -> Finding:
    found = f"{free / 1e9:,.1f} GB are free for {what} in {folder}"
    days = free / bytes_a_day if bytes_a_day else None
    if days is not None:
        found += (
            f", enough for {'more than ten years' if days > MANY_DAYS else f'{int(days):,} days'} at its rate"
        )
    todo = f"make room on that disk, or move the log to a larger one; `du -sh {folder}/*` shows what takes it"
    if free < FULL_BYTES:
        return Finding(DISK, WRONG, found, todo)
    if free < LOW_BYTES or (days is not None and days < LOW_DAYS):
        return Finding(DISK, LOOK, found, todo)
    return Finding(DISK, OK, found)


# The display


def check_display(
    subject: Subject,
    has_module: Callable[[str], bool] | None = None,
    devices: Path = Path("/dev"),
    is_root: bool | None = None,
) -> list[Finding]:
    """A panel is not opened, for that would light it or blank what it shows."""
    if subject.display is None:
        return [
            Finding(DISPLAY, WRONG, "the file names no display that will do", "mend `kind` in [display] first")
        ]
    config, problems = read_display(subject.display)
    if problems:
        todo = f"mend [display] in {subject.path}"
        return [Finding(DISPLAY, WRONG, f"{field}: {sentence}", todo) for field, sentence in problems]
    if config.kind in ("max7219", "ws2812", "hub75"):
        has_module = has_module or is_importable
        is_root = os.geteuid() == 0 if is_root is None else is_root
        return panel_findings(config, has_module, devices, is_root)
    return [harmless_display(config)]


def harmless_display(config: DisplayConfig) -> Finding:
    # Not to this terminal: what is asked is whether it could be opened.
    stream = sys.stdout if config.kind == "terminal" else io.StringIO()
    try:
        open_sink(config, stream).close()
    except DisplayFailed as failure:
        return in_two(DISPLAY, WRONG, str(failure), "make the window larger, or see to what it lacks")
    if config.kind == "png":
        path = Path(config.file)
        if not is_writable(path.parent):
            todo = "run felt as its owner, or see to its permissions"
            return Finding(DISPLAY, WRONG, f"{path} cannot be written by whoever runs this", todo)
        return Finding(DISPLAY, OK, f"pictures of {config.size} go to {path}")
    if config.kind == "terminal":
        where = "fits this terminal" if stream.isatty() else "goes to the terminal in which the table is run"
        return Finding(DISPLAY, OK, f"a picture of {config.size} {where}")
    return Finding(DISPLAY, OK, "none is configured")


def is_importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def panel_findings(
    config: DisplayConfig, has_module: Callable[[str], bool], devices: Path, is_root: bool
) -> list[Finding]:
    if config.kind == "max7219":
        return [spi_finding(config, has_module, devices)]
    module, todo = {
        "ws2812": ("_rpi_ws281x", "pip install rpi_ws281x, on a Raspberry Pi"),
        "hub75": (
            "rgbmatrix",
            "build and install the Python binding of github.com/hzeller/rpi-rgb-led-matrix as its "
            "bindings/python/README says",
        ),
    }[config.kind]
    findings = []
    if not has_module(module):
        findings.append(Finding(DISPLAY, WRONG, f"{config.kind} needs the Python package {module}", todo))
    if not is_root:
        found = f"{config.kind} panels can be driven by root only"
        findings.append(
            Finding(DISPLAY, WRONG, found, "run the table as root, with sudo or as a service of root")
        )
    words = f"what {config.kind} panels of {config.size} need is there; `felt display show` tries them out"
    return findings or [Finding(DISPLAY, OK, words)]


def spi_finding(config: DisplayConfig, has_module: Callable[[str], bool], devices: Path) -> Finding:
    path = devices / f"spidev{config.spi_port}.{config.spi_device}"
    if not has_module("spidev"):
        return Finding(DISPLAY, WRONG, "max7219 needs the Python package spidev", "pip install spidev")
    if not path.exists():
        todo = "switch SPI on with `sudo raspi-config`, then restart"
        return Finding(DISPLAY, WRONG, f"there is no {path}", todo)
    if not os.access(path, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        todo = "sudo usermod -a -G spi $USER, then log out and in again"
        return Finding(DISPLAY, WRONG, f"{path} may not be opened by whoever runs this", todo)
    words = f"{path} is there and may be opened; `felt display show` tries the panel out"
    return Finding(DISPLAY, OK, words)


# The page


def check_page(subject: Subject, writer: int | None = None) -> list[Finding]:
    page = subject.page
    if page is None:
        return [Finding(PAGE, WRONG, "the file names no page that will do", "mend [page] first")]
    if page.off:
        return [Finding(PAGE, OK, "none is configured")]
    where = f"port {page.port} of {page.address}"
    findings = []
    if not is_loopback(page.address):
        found = f"{page.address} lets other computers open the page, and PINs go to it unencrypted"
        findings.append(Finding(PAGE, LOOK, found, "keep 127.0.0.1, or put a proxy with TLS before it"))
    failure = bind_failure(page.address, page.port)
    if failure is None:
        return [*findings, Finding(PAGE, OK, f"{where} is free")]
    if failure.errno == errno.EADDRINUSE and writer is not None:
        return [*findings, Finding(PAGE, OK, f"{where} is taken, as it should be while process {writer} runs")]
    advice = {
        errno.EADDRINUSE: f"end what has it (`ss -ltnp 'sport = :{page.port}'` tells), or write another port",
        errno.EACCES: "ports below 1024 are for root; write another, such as 8080",
        errno.EADDRNOTAVAIL: "this computer has no such address; `ip address` lists those it has",
    }
    todo = advice.get(failure.errno or 0, "write another address or port into [page]")
    return [*findings, Finding(PAGE, WRONG, f"{where} cannot be served: {failure.strerror or failure}", todo)]


def bind_failure(address: str, port: int) -> OSError | None:
    """Why nobody could serve there; None if somebody could. It is bound for a moment, never listened to."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as error:
        return error
    return None
