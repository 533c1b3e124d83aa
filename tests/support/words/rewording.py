"""Rewords every sentence of host and firmware as it is imported: each gets MARK in front of it.

A sentence is a text with several words in it, at least one of them in small characters. Programs have texts that
look like one and are not: SQL, Python for a device, patterns, and headers of HTTP. Those are left alone.
"""

import ast
import importlib
import importlib.machinery
import re
import sys

MARK = "¤ "
ROOMS = ("host", "firmware")
# Calls whose texts are a language of their own, and where texts are compared with what others wrote.
LANGUAGES = ("compile", "execute", "executemany", "executescript", "strftime", "strptime", "Struct", "fullmatch")
SQL = re.compile(r"\s*(SELECT|INSERT|CREATE|DELETE|UPDATE|PRAGMA|BEGIN|WITH|DROP|ALTER|WHERE)\b|.* = \?")
HTTP = re.compile(r"[a-z-]+-src |max-age|no-store|text/|application/|HttpOnly|SameSite|Content-|Cache-", re.I)
WORDS = re.compile(r"[^\W\d_]{2,}[^\S\n]+(\S+[^\S\n]+)*?[^\W\d_]{2,}")


def is_sentence(text: str) -> bool:
    if not WORDS.search(text) or text.upper() == text or SQL.match(text) or HTTP.search(text):
        return False
    return not is_python(text)


def is_python(text: str) -> bool:
    """Whether this is a program for a device; one line that happens to be one is not."""
    if "\n" not in text.strip() and not re.match(r"(import|from|for|print)\b.*[(:]", text):
        return False
    try:
        ast.parse(text.replace("%d", "0").replace("{0}", "x"))
    except SyntaxError:
        return False
    return True


class Reword(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A docstring is for readers of the code, and click takes the help of a command from it."""
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return node if name in LANGUAGES else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and is_sentence(node.value):
            self.count += 1
            return ast.copy_location(ast.Constant(MARK + node.value), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Of an f-string the beginning is marked, once, and what is put into it is looked at by itself."""
        whole = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values)
        parts: list[ast.expr] = []
        for part in node.values:
            parts.append(part if isinstance(part, ast.Constant) else self.generic_visit(part))  # type: ignore[arg-type]
        if is_sentence(whole):
            self.count += 1
            parts.insert(0, ast.Constant(MARK))
        return ast.copy_location(ast.JoinedStr(parts), node)


class RewordingLoader(importlib.machinery.SourceFileLoader):
    counts: dict[str, int] = {}  # noqa: RUF012 (one for the process)

    def get_code(self, fullname):
        source = self.get_source(fullname)
        assert source is not None
        reword = Reword()
        tree = ast.fix_missing_locations(reword.visit(ast.parse(source)))
        self.counts[fullname] = reword.count
        return compile(tree, self.get_filename(fullname), "exec", dont_inherit=True)


class RewordingFinder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname.partition(".")[0] not in ROOMS:
            return None
        spec = super().find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = RewordingLoader(fullname, spec.loader.path)
        return spec


def install() -> None:
    """From now on, what is imported is reworded, and so are the templates in text files."""
    sys.meta_path.insert(0, RewordingFinder)
    sentences = importlib.import_module("host.words.sentences")
    read = sentences.read_templates

    def read_reworded(name):
        return {code: reworded(text) for code, text in read(name).items()}

    vars(sentences)["read_templates"] = read_reworded


def reworded(text: str) -> str:
    """Both parts of what the doctor says are sentences."""
    return " | ".join(MARK + part if is_sentence(part) else part for part in text.split(" | "))
