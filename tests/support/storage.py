"""A storage for the journal in memory, whose power can be cut at any of its operations."""

from shared.journal.journal import SEGMENTS


class PowerCut(Exception):
    pass


class Storage:
    """Files in memory. At operation `cut` the power goes: of what is being written `kept` eighths stay."""

    def __init__(self, files=None, cut=None, kept=0, capacity=SEGMENTS):
        self.capacity = capacity
        self.files = dict(files or {})
        self.cut = cut
        self.kept = kept
        self.operations = 0

    def next_operation(self):
        if self.operations == self.cut:
            return True
        self.operations += 1
        return False

    def names(self):
        return list(self.files)

    def size(self, name):
        return len(self.files.get(name, b""))

    def read(self, name, start, count):
        return self.files[name][start : start + count]

    def append(self, name, data):
        if self.next_operation():
            self.files[name] = self.files.get(name, b"") + data[: len(data) * self.kept // 8]
            raise PowerCut
        self.files[name] = self.files.get(name, b"") + data

    def remove(self, name):
        if self.next_operation():
            if self.kept > 4:
                del self.files[name]
            raise PowerCut
        del self.files[name]

    def ready(self):
        return self.capacity

    def prepare(self):
        return False
