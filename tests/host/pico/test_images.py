"""MicroPython images: checking, keeping and fetching them, and making a table's whole image from one."""

import hashlib
import io
import re
import stat
import struct
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import host.pico.images
from host.keys import read_table_key
from host.pico.deploy import Key, with_key
from host.pico.flash_image import (
    BLOCK,
    FLASH_BASE,
    FLASH_SIZE,
    FS_OFFSET,
    flash_to_uf2,
    read_filesystem,
    uf2_to_flash,
)
from host.pico.images import FIRMWARE_URL, ImageError, cache_folder, cached_images, check_image, newest_image
from shared.journal.journal import SEGMENTS
from shared.journal.ring_making import read_map
from tests.support.deploying import FILES, refusal, run

# Images


STORAGE = (FLASH_BASE + FS_OFFSET, 352 * BLOCK)
INFO = (FLASH_BASE + 0x300, FLASH_BASE + 0x308)


def made_image(version="1.28.0", date="2026-04-06", board="pico", storage=STORAGE, info=INFO):
    """As much of a MicroPython image as is looked at: banner, board and filesystem."""
    flash = bytearray(b"\xff" * FLASH_SIZE)
    flash[:BLOCK] = bytes(BLOCK)
    banner = f"MicroPython v{version} on {date}".encode()
    flash[0x400 : 0x400 + len(banner)] = banner
    flash[0x600 : 0x600 + len(board)] = board.encode()
    struct.pack_into("<5I", flash, 0x1D4, 0x7188EBF2, *info, 0, 0xE71AA390)
    struct.pack_into("<2I", flash, 0x300, FLASH_BASE + 0x320, FLASH_BASE + 0x340)
    struct.pack_into("<2H2I", flash, 0x320, 6, 0x5052, 0xB63CFFBB, FLASH_BASE + 0x600)
    struct.pack_into("<2H3I", flash, 0x340, 7, 0x504D, 0, *storage)
    return flash_to_uf2(bytes(flash))


def with_bytes(content, at, new):
    return content[:at] + new + content[at + len(new) :]


IMAGE = made_image()
SHA_256 = hashlib.sha256(IMAGE).hexdigest()


def test_an_image_says_what_it_is():
    assert check_image(IMAGE) == ("1.28.0", "20260406", "pico")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a UF2 file, or cut short"),
        (IMAGE[:-100], "cut short"),
        (IMAGE[:-512], "not whole: block 0 of 47 says that it is 0 of 48"),
        (b"\x7fELF" + IMAGE[4:], "not a UF2 file, or damaged: block 0"),
        (with_bytes(IMAGE, 512 + 508, b"\0\0\0\0"), "damaged: block 1"),
        (with_bytes(IMAGE, 28, b"\x59\xff\x8b\xe4"), "it is for another chip"),
        (with_bytes(IMAGE, 512 + 20, b"\x07"), "block 1 of 48 says that it is 7 of 48"),
        (with_bytes(IMAGE, 12, b"\0\0\0\x20"), "where a Pico has no flash (0x20000000)"),
        (made_image(version="x"), "it is not MicroPython"),
        (made_image(version="1.22.2"), "it is MicroPython 1.22.2; a table needs 1.23 or newer"),
        (made_image(storage=(FLASH_BASE + 0x12C000, 848 * 1024)), "its filesystem is not where a Pico's is"),
        (with_bytes(IMAGE, 17 * 512 + 32, b"x"), "something in its filesystem already"),
        (with_bytes(IMAGE, 512 + 12, IMAGE[12:16]), "block 1 goes where another block goes (0x10000000)"),
        (made_image(info=(0, FLASH_BASE + 0x308)), "its filesystem is not where a Pico's is"),
        (made_image(info=(FLASH_BASE + 0x300, 0xFFFFFFFF)), "its filesystem is not where a Pico's is"),
        (made_image(info=(0xFFFFFFF0, 0xFFFFFFFF)), "its filesystem is not where a Pico's is"),
    ],
)
def test_what_is_no_image_for_a_table_is_refused(content, words):
    with pytest.raises(ImageError, match=re.escape(words)):
        check_image(content)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "cache" / "felt"
    path.mkdir(parents=True)
    return path


def test_the_cache_is_where_the_system_has_its_caches(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == Path("/home/someone/.cache/felt")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp")
    assert cache_folder() == Path("/var/tmp/felt")


def test_the_newest_image_is_that_of_the_highest_version_for_a_pico(cache):
    names = [
        "RPI_PICO-20240602-v1.23.0.uf2",
        "RPI_PICO-20260101-v1.9.0.uf2",
        "RPI_PICO_W-20260406-v1.28.0.uf2",
        "SEEED_XIAO_RP2040-20260406-v1.28.0.uf2",
        "other.uf2",
    ]
    with pytest.raises(ImageError, match=rf"no RPI_PICO image of MicroPython in {cache}"):
        newest_image(cache)
    for name in names:
        (cache / name).write_bytes(b"")
    assert newest_image(cache).name == names[0]
    assert next(path.name for path in cached_images(cache, board=None)) == names[1]
    assert len(cached_images(cache, board=None)) == 4


# Fetching, from a server on this machine


@contextmanager
def server_of(files):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = files.get(self.path.strip("/"))
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PICO_NAME = "RPI_PICO-20260406-v1.28.0.uf2"


@pytest.fixture
def served(monkeypatch):
    """What the server has, by name; the command asks it instead of micropython.org."""
    files: dict[str, bytes] = {}
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with server_of(files) as url:
        monkeypatch.setattr(host.pico.images, "FIRMWARE_URL", url)
        yield files


def test_an_image_is_fetched_once(cache, served):
    served[PICO_NAME] = IMAGE
    done = run("pico-image", "--version", "1.28.0")
    assert (done.exit_code, done.output) == (0, f"{cache / PICO_NAME}: fetched and checked; SHA-256 {SHA_256}\n")
    assert (cache / PICO_NAME).read_bytes() == IMAGE
    served.clear()
    again = run("pico-image", "--version", "1.28.0").output
    assert again == f"{cache / PICO_NAME}: is there already, and sound; SHA-256 {SHA_256}\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (IMAGE[:-1024], "not whole"),
        (IMAGE[:-7], "cut short"),
        (b"<html>sorry</html>", "not a UF2 file"),
        (made_image(version="1.27.0"), "it is 1.27.0 for the board pico"),
        (made_image(board="pico_w"), "it is 1.28.0 for the board pico_w"),
    ],
)
def test_a_corrupted_download_is_not_kept(cache, served, content, words):
    served[PICO_NAME] = content
    said = refusal("pico-image", "--version", "1.28.0")
    assert "is not kept: " in said
    assert words in said
    assert not list(cache.iterdir())


def test_without_the_file_or_the_network_it_says_where_to_put_it(cache, served, monkeypatch):
    there = f"download it on another machine and put it here as {cache / PICO_NAME}"
    said = refusal("pico-image", "--version", "1.28.0")
    assert "(the server says 404 Not Found)" in said
    assert said.endswith(there)
    monkeypatch.setattr(host.pico.images, "FIRMWARE_URL", "http://127.0.0.1:9/")  # where nobody listens
    said = refusal("pico-image", "--version", "1.28.0")
    assert said == f"cannot fetch http://127.0.0.1:9/{PICO_NAME} (Connection refused); {there}"


def test_a_damaged_image_in_the_cache_is_said(cache):
    (cache / PICO_NAME).write_bytes(IMAGE[:-512])
    assert refusal("pico-image", "--version", "1.28.0").startswith(f"{cache / PICO_NAME}: it is not whole")


def test_an_unknown_release_names_the_known_ones():
    assert "known are 1.23.0, " in refusal("pico-image", "--version", "2.0")
    assert FIRMWARE_URL.startswith("https://micropython.org/")


def test_a_downloaded_file_is_checked_and_taken_under_its_proper_name(cache, tmp_path):
    file = tmp_path / "download(1).uf2"
    file.write_bytes(IMAGE)
    said = run("pico-image", "--file", file).output
    assert said == f"{cache / PICO_NAME}: checked and kept; SHA-256 {SHA_256}\n"
    assert (cache / PICO_NAME).read_bytes() == IMAGE
    file.write_bytes(made_image(board="pico_w"))
    assert "it is for the board pico_w" in refusal("pico-image", "--file", file)
    file.write_bytes(made_image(version="1.29.0-preview.12.gabc"))
    assert "it is a preview, 1.29.0-preview.12.gabc; take a release" in refusal("pico-image", "--file", file)
    assert [path.name for path in cache.iterdir()] == [PICO_NAME]
    assert refusal("pico-image", "--file", tmp_path / "none").startswith(
        f"cannot read {tmp_path / 'none'}: No such"
    )


# The image of a table


def test_an_image_holds_micropython_and_the_table(cache, small_tree, key_file, folder):
    (cache / PICO_NAME).write_bytes(IMAGE)
    Path("table.uf2").write_bytes(b"older")
    Path("table.uf2").chmod(0o644)
    done = run("image", "--board", "small", "--key", key_file, "-o", "table.uf2")
    size = Path("table.uf2").stat().st_size
    assert done.output == f"table.uf2: table T1, board small, {PICO_NAME}; 5 files, {size:,} bytes\n"
    flash = uf2_to_flash(Path("table.uf2").read_bytes())
    planned = with_key(FILES, "small", Key(read_table_key(key_file)))
    found = read_filesystem(flash)
    ring = {path: found.pop(path) for path in list(found) if path.startswith("/ring")}
    assert len(ring) == SEGMENTS
    assert read_map(lambda path, _mode: io.BytesIO(found.pop(f"/{path}"))) is not None
    assert found == {f"/{path}": content for path, content in planned.items()}
    assert flash[:FS_OFFSET] == uf2_to_flash(IMAGE)[:FS_OFFSET]
    assert stat.S_IMODE(Path("table.uf2").stat().st_mode) == 0o600


def test_an_image_for_a_named_table_makes_its_key(cache, small_tree, folder):
    (folder / "mp.uf2").write_bytes(IMAGE)
    done = run("image", "--board", "small", "--table", "T7", "--micropython", "mp.uf2")
    assert done.output.startswith("T7.key: the key of table T7; keep a copy")
    files = read_filesystem(uf2_to_flash((folder / "table.uf2").read_bytes()))
    assert files["/felt/key"] == (folder / "T7.key").read_bytes()


def test_an_image_for_the_rig_has_no_key(cache, small_tree, folder):
    (folder / "mp.uf2").write_bytes(IMAGE)
    done = run("image", "--board", "rig", "--micropython", "mp.uf2", "-o", "rig.uf2")
    assert done.output.startswith("rig.uf2: rig, board rig, mp.uf2; 3 files, ")
    files = read_filesystem(uf2_to_flash((folder / "rig.uf2").read_bytes()))
    assert files == {f"/{path}": content for path, content in FILES.items()}


def test_what_stands_in_the_way_of_an_image_is_said_and_no_key_is_made(cache, small_tree, folder):
    board = ("image", "--board", "small")
    assert "no RPI_PICO image" in refusal(*board, "--table", "T1")
    (folder / "mp.uf2").write_bytes(IMAGE)
    assert refusal(*board, "--micropython", "mp.uf2").startswith("a table needs a key:")
    same = refusal(*board, "--table", "T1", "--micropython", "mp.uf2", "-o", "mp.uf2")
    assert same == "mp.uf2 is the MicroPython image itself; choose another name with -o"
    (folder / "mp.uf2").write_bytes(IMAGE[:-512])
    assert refusal(*board, "--table", "T1", "--micropython", "mp.uf2").startswith("mp.uf2: it is not whole")
    assert [path.name for path in folder.iterdir()] == ["mp.uf2"]


def test_an_image_that_cannot_be_written(cache, small_tree, key_file, folder):
    (folder / "mp.uf2").write_bytes(IMAGE)
    said = refusal(
        "image", "--board", "small", "--key", key_file, "--micropython", "mp.uf2", "-o", "no/where.uf2"
    )
    assert said == "cannot write no/where.uf2: No such file or directory"
