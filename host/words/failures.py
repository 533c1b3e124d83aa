"""What fails on the host: a code with fields for programs, and its words for people."""

from typing import Any

import host.words.faults  # noqa: F401 (the way in which damage is shown)
from host.words.sentences import SHOWN, fill, read_templates


class Failure(Exception):
    """Its `args` are a code such as `log.missing`, whose first part names the file in english/, and its fields.

    Only as a text it is in words: what happened, and what to do.
    """

    def __init__(self, code: str, /, **fields: Any) -> None:
        super().__init__(code, fields)
        self.code = code
        self.fields = fields

    def __str__(self) -> str:
        return failure_words(self.code, self.fields)


def failure_words(code: str, fields: dict[str, Any]) -> str:
    return fill(read_templates(code.partition(".")[0])[code].replace(" | ", "; "), fields)


def announced(announcement: tuple[Any, ...]) -> str:
    from host.words.link import announcement_words  # which most failures do without

    return announcement_words(*announcement)


SHOWN["announcement"] = announced
SHOWN["failure"] = lambda failure: failure_words(*failure)
SHOWN["code"] = lambda code: failure_words(code, {})
