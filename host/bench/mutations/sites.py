"""Finds where a module can be mutated, and makes the mutant's source.

A mutation is one small change of the syntax tree. It is known by its words (module, function, change), not by its
line, so that a change elsewhere in a module does not make it another one.
"""

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
FUNCTIONS = (ast.FunctionDef, ast.ClassDef)
NOT_A_NUMBER = (ast.List, ast.Tuple, ast.JoinedStr)  # with a minus it would crash at once, which tests nothing
LONGEST = 70  # characters of a change as it is shown


class Site(NamedTuple):
    module: str  # its path in the tree
    function: str  # in which the change is, "" for the module itself
    kind: str
    before: str
    after: str
    nth: int  # of those with the same words, from 1
    place: int  # among all of the module's, from 0
    line: int
    statement: int  # the line where its statement begins

    @property
    def name(self) -> str:
        nth = f" ({self.nth})" if self.nth > 1 else ""
        where = f" {self.function}" if self.function else ""
        return f"{self.module}{where}: {self.kind}: {self.before} -> {self.after}{nth}"


class Place(NamedTuple):
    """A node of a syntax tree: a field of its parent, or one of a list there."""

    parent: Any
    field: str
    number: int | None  # in such a list
    function: str
    statement: int

    def put(self, node: ast.AST) -> None:
        if self.number is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.number] = node


def find_sites(module: str, source: str) -> list[Site]:
    """Every mutation of a module, in the order of its source."""
    count: Counter[tuple[str, ...]] = Counter()
    sites = []
    for number, (place, node, kind, other) in enumerate(changes(ast.parse(source))):
        words = (place.function, kind, shown(node), shown(other))
        count[words] += 1
        sites.append(Site(module, *words, count[words], number, node.lineno, place.statement))
    return sites


def mutated(source: str, site: Site) -> str:
    """The module with this one change."""
    tree = ast.parse(source)
    for number, (place, _, _, other) in enumerate(changes(tree)):
        if number == site.place:
            place.put(other)
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    raise ValueError(f"{site.module} has no mutation {site.place}")


def sample(sites: list[Site], count: int, seed: int) -> list[Site]:
    """So many of them. A site's place in the draw hangs on the seed and its own name alone, so that most of a
    sample stays as it was when code changes."""
    return sorted(sites, key=lambda site: sha256(f"{seed} {site.name}".encode()).digest())[:count]


def shown(node: ast.AST) -> str:
    first = ast.unparse(ast.fix_missing_locations(node)).partition("\n")[0]
    return first if len(first) <= LONGEST else first[:LONGEST] + "..."


# -- what can be changed


def changes(tree: ast.Module) -> Iterator[tuple[Place, Any, str, ast.AST]]:
    """(place, node, kind of change, what stands there instead)"""
    for place, node in places(tree, "", 0):
        for kind, other in changes_of(node):
            yield place, node, kind, other


def places(parent: ast.AST, function: str, statement: int) -> Iterator[tuple[Place, Any]]:
    """All nodes below, with where they stand."""
    for field, value in ast.iter_fields(parent):
        listed = value if isinstance(value, list) else [value]
        for index, node in enumerate(listed):
            if not isinstance(node, ast.AST):
                continue
            begins = node.lineno if isinstance(node, ast.stmt) else statement
            yield Place(parent, field, index if isinstance(value, list) else None, function, begins), node
            inside = ".".join(filter(None, (function, node.name))) if isinstance(node, FUNCTIONS) else function
            yield from places(node, inside, begins)


def changes_of(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            ops = [*node.ops[:index], COMPARISONS[type(operator)](), *node.ops[index + 1 :]]
            yield "comparison", changed(node, ops=ops)
    elif isinstance(node, ast.BoolOp):
        yield "and/or", changed(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", node.operand
    elif isinstance(node, ast.BinOp) and is_sum(node, node.left, node.right):
        yield "plus/minus", changed(node, op=SUMS[type(node.op)]())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "true/false", changed(node, value=not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "number", changed(node, value=node.value + 1)
    elif isinstance(node, ast.Return) and node.value and not is_constant(node.value, None):
        yield "return", changed(node, value=ast.Constant(None))
    elif isinstance(node, ast.If):
        yield from conditions(node)
    elif isinstance(node, ast.Assign) or is_call(node):
        yield "deleted", ast.Pass()
    elif isinstance(node, ast.AugAssign):
        yield "deleted", ast.Pass()
        if is_sum(node, node.value):
            yield "plus/minus", changed(node, op=SUMS[type(node.op)]())


def conditions(node: ast.If) -> Iterator[tuple[str, ast.AST]]:
    for outcome in (True, False):
        yield "condition", changed(node, test=ast.Constant(outcome))


def changed(node: ast.AST, **fields: Any) -> Any:
    """A copy that differs in these fields; what is below them is the same."""
    other = copy.copy(node)
    for field, value in fields.items():
        setattr(other, field, value)
    return other


def is_sum(node: ast.BinOp | ast.AugAssign, *operands: ast.AST) -> bool:
    return type(node.op) in SUMS and not any(map(is_text, operands))


def is_text(node: ast.AST) -> bool:
    """Whether it is a list or a text, which plus joins."""
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return is_string or isinstance(node, NOT_A_NUMBER)


def is_call(node: ast.AST) -> bool:
    """Whether it is an expression that stands alone, other than a docstring."""
    return isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)


def is_constant(node: ast.AST, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
