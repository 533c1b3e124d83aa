"""The journal's storage in a folder of the Pico's littlefs: a file is synced when it is closed."""

import os


class FlashStorage:
    def __init__(self, folder):
        self.folder = folder
        try:
            os.mkdir(folder)
        except OSError:
            pass  # it is there

    def path(self, name):
        return self.folder + "/" + name

    def names(self):
        return os.listdir(self.folder)

    def size(self, name):
        try:
            return os.stat(self.path(name))[6]
        except OSError:
            return 0

    def read(self, name, start, count):
        with open(self.path(name), "rb") as file:
            file.seek(start)
            return file.read(count)

    def append(self, name, data):
        with open(self.path(name), "ab") as file:
            file.write(data)

    def remove(self, name):
        os.remove(self.path(name))
