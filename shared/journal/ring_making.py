"""Finds the sectors of the journal's ring at a start, and makes the ring where there is none.

A file of one block takes one sector of flash. The filesystem never looks into it and never moves it while nobody
writes to the file. A tag written through the file shows which sector that is. The map of the ring is written
last: without a map there is no ring, and it is made again. Loaded for starting, and forgotten again.

The filesystem is handed in: `system` has listdir, mkdir, rename and remove as `os` has them, and on a Pico what
mounts it. `open_file` is as `open` (a path may be text or bytes). `cost(path)` says what finding a file costs.
`flash` is an rp2.Flash.
"""

import json

from shared.journal.journal import SEGMENTS
from shared.journal.ring import HEADER, PAGE, SECTOR, Ring, RingFailed, make_header, read_header
from shared.journal.wire import body_of, encode
from shared.values import const

_FOLDER = const("ring%d")
_FILES = const(b"abcdefghijklmno")
_FILES_A_FOLDER = const(15)  # in a fuller one each takes longer to find
_MAP_FILE = const("felt/ring")
_NEW_MAP_FILE = const("felt/ring.new")
_RING = const("ring")
_TAG_BYTES = const(16)
_BLOCKS = const(4)  # as ioctl calls their number
_ERASE = const(6)
_ATTEMPTS = const(5)
_MOST_CHANGES = const(20)


def open_ring(flash, system, open_file, random, feed, cost):
    """The ring on this Pico; RingFailed if its files and its sectors are not the same."""
    return Ring(flash, *find_ring(flash, system, open_file, random, feed, cost))


def find_ring(flash, system, open_file, random, feed, cost):
    """(generation, blocks) of it"""
    folder, _, name = _MAP_FILE.partition("/")
    if name in system.listdir(folder):
        generation, blocks = read_map(open_file)
    else:
        generation, blocks = make_ring(flash, system, open_file, random, feed, cost)
    check_files(flash, open_file, blocks, feed)
    feed()
    return generation, blocks


def read_map(open_file):
    """(generation, blocks)"""
    try:
        with open_file(_MAP_FILE, "rb") as file:
            _, generation, blocks = json.loads(body_of(file.read().rstrip(b"\n")).decode())
    except ValueError:
        raise RingFailed("ring_map_damaged")
    return generation, blocks


def path_of(place):
    file = place % _FILES_A_FOLDER
    return b"ring%d/" % (place // _FILES_A_FOLDER) + _FILES[file : file + 1]


def check_files(flash, open_file, blocks, feed):
    """Whether each file is still the sector that the map says: both ways show the same header.

    Paths are bytes, as each new text would first be looked for among all names.
    """
    there = bytearray(HEADER)
    header = bytearray(HEADER)
    read = flash.readblocks
    place = 0
    folder = b""
    try:
        for block in blocks:
            at = place % _FILES_A_FOLDER
            if not at:
                feed()
                folder = path_of(place)[:-1]
            read(block, there, 0)
            file = open_file(folder + _FILES[at : at + 1], "rb")
            if file.readinto(header) != HEADER or header != there:
                raise OSError()
            file.close()
            place += 1
    except OSError:
        raise RingFailed("ring_file_moved %d" % place)


def make_ring(flash, system, open_file, random, feed, cost, count=SEGMENTS):
    """Reserve sectors, give each a header, and write down which they are."""
    if hasattr(system, "VfsLfs2"):
        # A Pico: without the time of each file, which the filesystem would read past at every start.
        system.umount("/")
        system.mount(system.VfsLfs2(flash, progsize=PAGE, mtime=False), "/")
    erases, generation = old_counts(flash)
    folders = [_FOLDER % number for number in range((count + _FILES_A_FOLDER - 1) // _FILES_A_FOLDER)]
    for folder in folders:
        try:
            system.mkdir(folder)
        except OSError:
            pass  # it is there
    missing = list(range(count))
    blocks = [0] * count
    for _ in range(_ATTEMPTS):
        tags = {}
        for place in missing:
            feed()
            tag = random(_TAG_BYTES)
            tags[tag] = place
            with open_file(path_of(place), "wb") as file:
                file.write(tag * (SECTOR // _TAG_BYTES))
        missing = find_tags(flash, tags, blocks)
        if not missing:
            break
    else:
        raise RingFailed("ring_not_found")
    for folder in [""] + folders:
        shorten(folder, system, open_file, cost, feed)
    # Written by the filesystem once, and now erased once more.
    counts = [erases.get(block, 0) + 2 for block in blocks]
    write_headers(flash, generation + 1, blocks, counts, feed)
    with open_file(_NEW_MAP_FILE, "wb") as file:
        file.write(encode([_RING, generation + 1, blocks]))
    system.rename(_NEW_MAP_FILE, _MAP_FILE)
    return generation + 1, blocks


def write_headers(flash, generation, blocks, counts, feed):
    """Erase the sectors of a ring; `counts` says how often each has then been erased."""
    page = bytearray(PAGE)
    for place in range(len(blocks)):
        feed()
        flash.ioctl(_ERASE, blocks[place])
        page[:] = b"\xff" * len(page)
        page[: HEADER - 12] = make_header(place, generation, counts[place], counts[(place + 1) % len(blocks)])
        flash.writeblocks(blocks[place], page, 0)


def shorten(folder, system, open_file, cost, feed):
    """Have the filesystem write a folder's list anew, so that every start finds the files in it sooner.

    Each change makes the list longer; only when its block is full is it written anew with what counts. How many
    changes that takes is counted, so that the last of them, which removes the file that is changed, is the one.
    """
    measured = path_of(0) if not folder else folder + "/a"
    scratch, other = [(folder + "/" + name).lstrip("/") for name in ("x", "y")]
    open_file(scratch, "wb").close()
    changes = 0
    for _ in range(2):
        before, now = 0, cost(measured)
        changes = 0
        while changes < _MOST_CHANGES and now * 10 >= before * 9:
            feed()
            system.rename(scratch, other)
            scratch, other = other, scratch
            changes += 1
            before, now = now, cost(measured)
    for _ in range(changes - 1):
        feed()
        system.rename(scratch, other)
        scratch, other = other, scratch
    system.remove(scratch)


def old_counts(flash):
    """({block: how often it was erased}, the highest generation) by the headers that are there."""
    header = bytearray(HEADER)
    counts = {}
    newest = 0
    for block in range(flash.ioctl(_BLOCKS, 0)):
        flash.readblocks(block, header, 0)
        fields = read_header(header)
        if fields:
            counts[block] = fields[2]
            newest = max(newest, fields[1])
    return counts, newest


def find_tags(flash, tags, blocks):
    """Put the block of every tag into `blocks`; returns the places whose tag is not in exactly one."""
    head = bytearray(_TAG_BYTES)
    found = {}
    for block in range(flash.ioctl(_BLOCKS, 0)):
        flash.readblocks(block, head, 0)
        tag = bytes(head)
        if tag in tags:
            place = tags[tag]
            found[place] = found.get(place, 0) + 1
            blocks[place] = block
    return [place for place in tags.values() if found.get(place) != 1]
