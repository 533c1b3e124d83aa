"""A Pico's flash in memory under the unchanged ring of the journal, and the filesystem that the ring asks for."""

from host.simulator.virtual_pico import Flash, PowerCut
from shared.journal.ring import HEADER
from shared.journal.ring_making import open_ring

SECTOR = 4096
PAGE = 256
SECTORS = 160  # the ring's, and some more
ERASE = 6
BLOCK_COUNT = 4
BLANK = b"\xff" * PAGE
FULL_LIST = 8  # changes of a folder after which its list is written anew


class FlashChip(Flash):
    """As rp2.Flash, and as the filesystem on it: bits only turn to 0, and a long file lies on a sector.

    Only pages that were written take memory.
    """

    def __init__(self):
        super().__init__()
        self.pages = {}  # by (sector, number of the page)
        self.files = {}  # contents by path, where they are short
        self.sectors = {}  # of files that take a whole one, by path
        self.changes = {}  # of a folder's list

    def open_storage(self, random):
        """The journal's storage: a ring, which the first start makes."""
        return open_ring(self, self, self.open, random, lambda: None, self.cost)

    def copy(self):
        """A chip with the same in it."""
        other = FlashChip()
        other.pages = {place: bytearray(page) for place, page in self.pages.items()}
        other.files = dict(self.files)
        other.sectors = dict(self.sectors)
        other.changes = dict(self.changes)
        return other

    # -- as rp2.Flash

    def readblocks(self, block, into, offset=0):
        done = 0
        while done < len(into):
            page, start = divmod(offset + done, PAGE)
            part = self.pages.get((block, page), BLANK)[start : start + len(into) - done]
            into[done : done + len(part)] = part
            done += len(part)

    def writeblocks(self, block, data, offset):
        is_cut = self.is_cut()
        if self.weak:
            self.weak -= 1
            return
        place = (block, offset // PAGE)
        page = self.pages.get(place)
        if page is None:
            page = self.pages[place] = bytearray(BLANK)
        count = len(data) * self.kept // 8 if is_cut else len(data)
        for at in range(count):
            page[at] &= data[at]
        if is_cut:
            raise PowerCut()

    def ioctl(self, request, block):
        if request == BLOCK_COUNT:
            return SECTORS
        is_cut = self.is_cut()
        # Flash turns all bits of a sector to 0 before it erases them.
        for page in range(SECTOR // PAGE):
            self.pages.pop((block, page), None)
            if is_cut and page * 8 >= self.kept * SECTOR // PAGE:
                self.pages[block, page] = bytearray(PAGE)
        if is_cut:
            raise PowerCut()
        return 0

    def flip_bit(self):
        """One of the newest segment is not as it was written."""
        ring = self.open_storage(None)
        self.pages[ring.blocks[ring.newest], 0][HEADER + 100] ^= 1

    # -- as os

    def listdir(self, folder):
        start = folder + "/"
        return [path[len(start) :] for path in self.files if path.startswith(start)]

    def mkdir(self, folder):
        """There is a folder for every file."""

    def rename(self, old, new):
        self.files[new] = self.files.pop(old)

    def remove(self, path):
        del self.files[path]
        self.change(path)

    # -- as open, and what that costs

    def open(self, path, mode):
        if isinstance(path, bytes):
            path = path.decode()
        if mode == "rb" and path not in self.files and path not in self.sectors:
            raise OSError(2)
        return ChipFile(self, path)

    def cost(self, path):
        """A folder's list gets longer with every change, until it is written anew."""
        return 100 + 10 * (self.changes.get(folder_of(path), 0) % FULL_LIST)

    def change(self, path):
        self.changes[folder_of(path)] = self.changes.get(folder_of(path), 0) + 1

    def put(self, path, data):
        self.change(path)
        if len(data) < SECTOR:
            self.files[path] = data
            return
        # The filesystem begins behind what it has written last.
        block = self.sectors[path] = len(self.sectors) + 2
        for page in range(SECTOR // PAGE):
            self.pages[block, page] = bytearray(data[page * PAGE : (page + 1) * PAGE])


class ChipFile:
    def __init__(self, chip, path):
        self.chip = chip
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def close(self):
        """What was written is there."""

    def write(self, data):
        self.chip.put(self.path, data)

    def read(self):
        return self.chip.files[self.path]

    def readinto(self, buffer):
        self.chip.readblocks(self.chip.sectors[self.path], buffer)
        return len(buffer)


def folder_of(path):
    if isinstance(path, bytes):
        path = path.decode()
    return path.rpartition("/")[0]
