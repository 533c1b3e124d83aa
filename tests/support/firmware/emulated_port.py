"""The USB port of an emulated Pico as a serial port for other programs: mpremote, or the host software."""

import os
import pty
import queue
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import host.pico.mpremote_port
import host.pico.serial_ports
from host.emulator.pico import Emulator

# What a second takes on a Pico is half a minute here, and more while other tests run beside it.
PATIENCE_S = 1200
SLICE_S = 0.001  # of device time between two looks at the port


class Server:
    """Runs an emulator on a thread with its USB port connected to a pty. Device time never runs ahead of wall
    time; if the emulator is too slow it falls behind and does not catch up. Only the thread may touch the
    emulator: use `call`."""

    def __init__(self, emulator: Emulator, fd: int) -> None:
        self._emulator, self._fd = emulator, fd
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._unsent = b""
        self._thread = threading.Thread(target=self._serve, name="emulator", daemon=True)
        self._thread.start()

    def call(self, action: Callable[[], Any], timeout_s: float = 60) -> Any:
        """Call `action` on the emulator's thread, between two slices of device time; returns its result."""
        answer: Future[Any] = Future()
        self._calls.put((action, answer))
        return answer.result(timeout_s)

    def close(self) -> None:
        """Stop the thread; the emulator is the caller's again, as it stands."""
        self._closing.set()
        self._thread.join()

    def _serve(self) -> None:
        emulator = self._emulator
        offset = time.monotonic() - emulator.now_us / 1e6
        while not self._closing.is_set():
            while not self._calls.empty():
                action, answer = self._calls.get()
                try:
                    answer.set_result(action())
                except Exception as error:
                    answer.set_exception(error)
            behind = time.monotonic() - offset - emulator.now_us / 1e6
            if behind > 10 * SLICE_S:
                offset += behind - 10 * SLICE_S
            self._exchange(max(0, SLICE_S - behind))
            if behind > 0:
                emulator.step(min(behind, SLICE_S) * 1000)

    def _exchange(self, wait_s: float) -> None:
        """Move bytes both ways, waiting at most `wait_s` for some to come in."""
        self._unsent += self._emulator.usb_receive()
        self._emulator.usb_stall(len(self._unsent) > 65536)
        wanted = [self._fd] if self._emulator.usb_unsent < 4096 else []
        waiting = [self._fd] if self._unsent else []
        ready, writable, _ = select.select(wanted, waiting, [], wait_s)
        if ready:
            self._emulator.usb_send(os.read(self._fd, 4096))
        if writable:
            self._unsent = self._unsent[os.write(self._fd, self._unsent[:4096]) :]


def be_patient(monkeypatch: Any) -> None:
    """Have `felt` wait for an emulated Pico as long as that takes."""
    for name in ("PATIENCE_S", "SILENCE_S", "HAND_OVER_S"):
        monkeypatch.setattr(host.pico.mpremote_port, name, PATIENCE_S)
    monkeypatch.setattr(host.pico.serial_ports, "SILENCE_S", PATIENCE_S)


@contextmanager
def serve_pty(emulator: Emulator) -> Iterator[tuple[str, Server]]:
    """The path of a serial port that is the device's USB port, and the server behind it."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    server = Server(emulator, master)
    try:
        yield os.ttyname(slave), server
    finally:
        server.close()
        os.close(slave)
        os.close(master)
