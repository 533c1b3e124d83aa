"""Makes room: forgets modules that were needed once. They are loaded again when they are needed again."""

import sys


def forget(*names):
    """Each module is known to all modules and to its package; only when both have forgotten it is it gone."""
    for name in names:
        package, _, module = name.rpartition(".")
        if sys.modules.pop(name, None):
            delattr(sys.modules[package], module)
