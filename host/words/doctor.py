"""What `felt doctor` found, by its code: what is so, and what to do about it, if anything."""

from typing import Any

from host.words.config import problem_text
from host.words.keys import KEYS
from host.words.sentences import fill

UNNAMED = "the file has no usable `{field}` in [{section}] | fix that first"
FAILED = (
    "this could not be checked ({error}: {reason}) | send the file of `felt support` to the people who help you"
)
AUDIT = "`felt audit {path} --key {key}`"
CHECKPOINT = "felt checkpoint {log} --key {key} --signer {signer} --checkpoints {path}"
FLASH = "install the firmware: felt flash --board {board}"
INSTALL = "`make setup`, or {pip} -m pip install '{wanted}'"
MAKE_ROOM = "make room on that disk, or move the log to a larger one; `du -sh {folder}/*` shows what takes it"
PROXY = "keep 127.0.0.1, or put a proxy with TLS in front of it"
RESTORE = "keep everything as it is for a review, and restore the last good copy"
RIGHTS = "run felt as the owner, or change the permissions"
SET_CLOCK = "set it: sudo timedatectl set-ntp true, or sudo date -s '2026-12-31 23:59:00'"
SIGNED = "checkpoint {serial} signed record {number}, {age:span} ago"
TRY_OUT = "`felt display show` tries it out"
UPDATE = "update the older one; the table, with its service jumper on: felt flash --board {board} --key {key}"
CHECKS = ("configuration", "versions", "port", "keys", "clock", "disk", "log", "display", "page")

# Each code with what is so and, after a bar, what to do.
FINDINGS = {
    **{f"{check}.unnamed": UNNAMED for check in CHECKS},
    **{f"{check}.failed": FAILED for check in CHECKS},
    **KEYS,
    "configuration.fine": "{path} configures table {table}, {book}",
    "configuration.problem": " | fix the file; `felt check {path}` shows where, and when all is right",
    "configuration.unreadable": " | check the path, and that you may read the file",
    "configuration.hidden": "line {line}: {problem} "
    "| `felt check` at the table shows the rest, which may hold a PIN",
    # Versions
    "versions.fine": "felt {felt} on Python {python}; its {count} packages are the right ones",
    "versions.python": "this is Python {python}; felt needs {wanted} | install a newer Python, then `make setup`",
    "versions.missing": "the package {package} is missing | " + INSTALL,
    "versions.package": "{package} {found} is installed; felt needs {wanted} | " + INSTALL,
    "versions.felt": "felt {found} is installed; its files are those of {wanted} | `make setup` installs it anew",
    # Port
    "port.plugged": "one Pico is plugged in, at {port}",
    "port.several": 'several Picos are plugged in: {ports:list} | choose one: port = "..." in [table]',
    "port.no_pico": "no Pico is plugged in "
    "| check that its USB cable carries data. A Pico that shows as the drive RPI-RP2 has no MicroPython: drag "
    "the file of `felt image` onto it",
    "port.missing": 'there is no port {port} | check cable and power, or use port = "auto". Picos: {picos:list}',
    "port.unreadable": "{port} cannot be examined: {reason} | check its permissions",
    "port.not_serial": '{port} is not a serial port | name the Pico\'s port in [table], or "auto"',
    "port.denied_mode": "{user} may not open {port} | give its group the right to: sudo chmod g+rw {port}",
    "port.denied_owner": "{user} may not open {port} | give {user} the right to: sudo chown {user} {port}",
    "port.denied_login": "{user} may not open {port} | log out and in again, to be in the group {group}",
    "port.denied": "{user} may not open {port} | sudo usermod -a -G {group} {user}, then log out and in again",
    "port.left_to_writer": "{port} is left to process {pid}, which writes the table's log",
    "port.maybe_writer": "{port} is left to process {pid}, which may have it open "
    "| run this as its user or as root",
    "port.held": "{port} is in use by {programs:list} | end that, then try again",
    "port.in_use": "{port} is in use by another program | end that (a terminal, the table's host) and try again",
    "port.closed": "{port} cannot be opened as a serial port: {reason} | check that it is the Pico's port",
    "port.gone": "{port} went away while felt listened ({reason}) | check cable and power, then try again",
    "port.faulty": "the table at {port} will not start: {fault} {detail} | {advice}",
    "port.console": "at {port} is the console of MicroPython, and no table runs "
    f"| take the service jumper off and press reset; if the console comes again, {FLASH}",
    "port.other_hello": "a table answers at {port}, but this host does not know its kind of hello | " + UPDATE,
    "port.other_host": "a table at {port} talks to another host ({messages:list}) and does not say hello "
    "| end the other program, wait five seconds and try again",
    "port.not_a_table": "something talks at {port}, but not like a table: {heard} "
    "| is this the Pico's port? `mpremote connect list` names the ports",
    "port.silent": "nothing answers at {port} within {seconds:g} s "
    f"| press reset on the Pico and wait; if it stays silent, put the service jumper on, reset and {FLASH}",
    "port.other_table": "at {port} is table {found}, not {wanted} | plug the right table in, or use its own file",
    "port.other_board": "the table's firmware is for the board {found}, and the file names {wanted} "
    '| write board = "{found}" in [table], or flash the table for the board {wanted}',
    "port.mismatch": "table and host do not fit, {what}: table {found}, host {wanted} | " + UPDATE,
    "port.fine": "table {table} answers at {port}: board {board}, start {boot}, firmware {firmware}; it fits",
    # Keys
    "keys.table_missing": "there is no {path} "
    "| restore your copy; for a new table, `felt keys table {table} {path}`, then `felt flash`",
    "keys.signer_missing": "there is no {path} | restore your copy; for a new host, `felt keys signer {path}`",
    "keys.other_table": "{path} is the key of table {owner}, not of {table} | name the key of this table",
    "keys.table_fine": "{path} is the key of table {table}, and only its owner can read it",
    "keys.signer_fine": "{path} signs checkpoints, and only its owner can read it",
    # Clock
    "clock.impossible": "the clock shows {now}, which cannot be | " + SET_CLOCK,
    "clock.behind_log": "the clock shows {now}, before the log's last record of {last} | " + SET_CLOCK,
    "clock.fine": "the clock shows {now}",
    "clock.network": "the network sets the clock",
    "clock.no_network": "the network does not set the clock | sudo timedatectl set-ntp true",
    "clock.unknown": "it is unknown whether the network sets the clock "
    "| the log needs right times: make sure it is",
    # Disk
    "disk.no_folder": "there is no folder {folder} for the {what} | mkdir -p {folder}",
    "disk.not_writable": "you may not write the {what}, {path} "
    f"| {RIGHTS}; `mount` tells if the disk is read-only",
    "disk.room": "{free:.1f} GB are free for the {what} in {folder} | " + MAKE_ROOM,
    "disk.room_days": "{free:.1f} GB are free for the {what} in {folder}, enough for {days:days} | " + MAKE_ROOM,
    # Log
    "log.lost": "there is no {path}, but checkpoints of it are signed | bring it back; do not begin another",
    "log.none_yet": "there is no {path} yet; the first run of the table makes it",
    "log.writer": "process {pid} writes it, as it should while the table runs",
    "log.unreadable": "{reason} | check that it is the right file, and its owner and permissions",
    "log.denied": "{path} cannot be read: {reason} | check its owner and permissions",
    "log.old": "{path} was written by an older felt | `felt log upgrade {path}` brings it up to date",
    "log.garbled": "{path} holds what no table writes | `felt audit {path}` shows it",
    "log.other_table": "{path} is the log of table {owner}, not of {table} | name this table's own log in [log]",
    "log.empty": "{path} can be read and has no records yet",
    "log.fine": "{path} can be read: records {first} to {last}, the last {age:span} ago",
    "log.alarms": "alarms in its last {days} days: {count}; records were not what the rules make of them "
    f"| {AUDIT} lists them; open no round before they are understood",
    "log.unsigned": f"no checkpoint has been signed yet | run the table, or sign one: {CHECKPOINT}",
    "log.untrusted": "the checkpoints cannot be trusted: {reason} | " + RESTORE,
    "log.cut": "the log ends at record {last}, but checkpoint {serial} signed record {number} | " + RESTORE,
    "log.other_record": "record {number} is not the one that checkpoint {serial} signed "
    f"| {RESTORE}; see {AUDIT}",
    "log.signing_late": f"{SIGNED}; {{behind}} records after it are not signed "
    "| is there room, and may felt write?",
    "log.signing_behind": f"{SIGNED}; {{behind}} records after it are not signed | sign them: {CHECKPOINT}",
    "log.signed": SIGNED,
    # Display
    "display.none": "no display is configured",
    "display.png": "pictures of {size} go to {path}",
    "display.not_writable": "you may not write {path} | " + RIGHTS,
    "display.terminal_fits": "a picture of {size} fits this terminal",
    "display.terminal": "a picture of {size} goes to the terminal in which the table runs",
    "display.failed_to_open": "{reason} | make the window larger, or provide what is missing",
    "display.no_max7219": "max7219 needs the Python package {package} | pip install spidev",
    "display.no_ws2812": "ws2812 needs the Python package {package} | pip install rpi_ws281x, on a Raspberry Pi",
    "display.no_hub75": "hub75 needs the Python package {package} "
    "| build and install the Python binding of github.com/hzeller/rpi-rgb-led-matrix, as its README tells",
    "display.root": "only root can drive {kind} panels "
    "| run the table as root, with sudo or as a service of root",
    "display.no_spi": "there is no {path} | switch SPI on with `sudo raspi-config`, then restart",
    "display.spi_denied": "you may not open {path} | sudo usermod -a -G spi $USER, then log out and in again",
    "display.spi": f"{{path}} is there and may be opened; {TRY_OUT}",
    "display.panels": f"everything that {{kind}} panels of {{size}} need is there; {TRY_OUT}",
    # Page
    "page.off": "no page is configured",
    "page.exposed": "{address} lets other computers open the page, and PINs reach it unencrypted | " + PROXY,
    "page.free": "port {port} of {address} is free",
    "page.served": "port {port} of {address} is in use, as it should be while process {pid} runs",
    "page.in_use": "port {port} of {address} is in use | choose another; `ss -ltnp 'sport = :{port}'` tells who",
    "page.denied": "you may not use port {port} of {address} | ports below 1024 are for root; choose 8080, say",
    "page.no_address": "this computer has no address {address} | `ip address` lists the addresses it has",
    "page.closed": "port {port} of {address} cannot be used: {reason} | choose another address or port in [page]",
}


def found_words(finding: Any) -> str:
    """What a Finding of host.doctor is about."""
    fields = finding.fields
    if "problem" in fields and "path" in fields:
        return problem_text(fields["path"], fields["problem"])
    return fill(FINDINGS[finding.code].partition(" | ")[0], fields).rstrip()


def todo_words(finding: Any) -> str:
    """What to do about it; nothing if it is all right."""
    return "" if finding.mark == "ok" else fill(FINDINGS[finding.code].partition(" | ")[2], finding.fields)
