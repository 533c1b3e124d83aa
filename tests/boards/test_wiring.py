"""The wiring manual: its pin-out is that of the boards, its sums come out, and its drawings show its parts."""

import math
import re
from xml.etree import ElementTree

import pytest

from host.pico.boards import PICO_PINS, find_board, pin_rows
from tests.support.documents import ROOT, rows_of

WIRING = (ROOT / "boards/WIRING.md").read_text()
PICTURES = ROOT / "boards/pictures"
SVG = "{http://www.w3.org/2000/svg}"
PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3}
UNITS = {prefix + unit: scale for prefix, scale in PREFIXES.items() for unit in ("F", "Ω", "V", "A", "W", "s")}
QUANTITY = re.compile(rf"(?<![\w.])(\d[\d,]*)(\.\d+)?(?: ({'|'.join(sorted(UNITS, reverse=True))})(?!\w))?")
REFERENCE = re.compile(r"\b[CDFRU]\d\b")


# The pin-out


def harness(heading):
    """What the pin-out says below a heading: the line, the Pico's name for the pin, and its number."""
    return [(line, name, int(pin)) for _, line, name, pin in rows_of(WIRING, heading)]


@pytest.mark.parametrize("board", ["small", "full"])
def test_the_pin_out_has_every_line_of_a_board_at_its_pin_and_no_other(board):
    rows = harness("### Both boards") + harness(f"### {board.title()} board: J5")
    used = {(row.use, row.name, row.number) for row in pin_rows(find_board(board)) if row.use}
    without_gpio = {row for row in rows if row[1] in ("GND", "VSYS", "RUN")}
    assert set(rows) - without_gpio == used
    assert len(rows) - len([row for row in rows if row in without_gpio]) == len(used)
    assert all(PICO_PINS[number - 1] == name for _, name, number in rows)


@pytest.mark.parametrize("board", ["small", "full"])
def test_no_pin_of_a_connector_is_there_twice(board):
    rows = rows_of(WIRING, "### Both boards") + rows_of(WIRING, f"### {board.title()} board: J5")
    pins = [row[0] for row in rows]
    assert len(pins) == len(set(pins))


# Parts and sums


def tables(section, *columns):
    """The rows of every table of a section that has these columns."""
    head = "| " + " | ".join(columns) + " |"
    found = re.findall(rf"^{re.escape(head)}\n\|[-|]+\n((?:\|.*\n)+)", section, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for table in found for row in table.splitlines()]


def sections():
    """Each section: its heading, the file of its drawing if it has one, the rows of its parts and of its sums."""
    for section in re.split(r"^## ", WIRING, flags=re.MULTILINE):
        picture = re.search(r"\(pictures/([\w-]+\.svg)\)", section)
        parts = tables(section, "part", "value", "what for")
        rows = tables(section, "what", "sum", "result", "must be")
        yield section.partition("\n")[0], picture and picture[1], parts, rows


WITH_PARTS = [(heading, parts, rows) for heading, _, parts, rows in sections() if parts]
SECTIONS = [(picture, parts, rows) for _, picture, parts, rows in sections() if picture]


def quantity(text):
    """(the first quantity of a text in its base unit, half of what its last digit is worth)"""
    found = QUANTITY.match(text)
    assert found, text
    whole, digits, unit = found.groups()
    scale = UNITS[unit] if unit else 1
    return float(whole.replace(",", "") + (digits or "")) * scale, 0.5 * scale / 10 ** (len(digits or ".") - 1)


def worked_out(sum_, parts):
    """The value of a sum as it is written in the manual."""
    plain = QUANTITY.sub(lambda found: f"({quantity(found[0])[0]!r})", sum_)
    for written, meant in (("×", "*"), ("−", "-"), ("²", "**2")):
        plain = plain.replace(written, meant)
    return eval(plain, {"__builtins__": {}, "ln": math.log}, parts)


def sums():
    for heading, parts, rows in WITH_PARTS:
        values = {name: quantity(value)[0] for name, value, _ in parts if QUANTITY.match(value)}
        for what, sum_, result, limit in rows:
            yield pytest.param(values, sum_, result, limit, id=f"{heading}: {what}")


@pytest.mark.parametrize(("parts", "sum_", "result", "limit"), list(sums()))
def test_a_sum_comes_out_as_printed_and_within_its_limit(parts, sum_, result, limit):
    value = worked_out(sum_, parts)
    shown, half = quantity(result)
    assert abs(value - shown) <= half * 1.0001, f"{value:g}"
    if limit:
        side, _, bound = limit.partition(" most " if "most" in limit else " least ")
        assert side == "at"
        assert value <= quantity(bound)[0] if "most" in limit else value >= quantity(bound)[0]


def heats():
    for picture, parts, rows in SECTIONS:
        values = {name: value for name, value, _ in parts}
        for what, _, _, limit in rows:
            if "heat in" in what:
                name = re.search(r"heat in (R\d)", what)[1]
                yield pytest.param(values[name], limit, id=f"{picture}: {what}")


@pytest.mark.parametrize(("value", "limit"), list(heats()))
def test_a_resistor_is_rated_for_at_least_twice_the_heat_in_it(value, limit):
    assert limit.startswith("at most ")
    rating = value.split(", ")[1]
    assert rating.endswith(" W")
    assert quantity(rating)[0] >= 2 * quantity(limit.removeprefix("at most "))[0]


def test_every_section_with_heat_has_its_resistor_checked():
    assert len(list(heats())) == WIRING.count("heat in R") >= 5


def test_every_sum_is_in_a_section_with_parts():
    assert sum(len(rows) for *_, rows in sections()) == len(list(sums())) > 40


def test_sums_are_worked_out_and_can_be_wrong():
    assert worked_out("(24 V − 1.2 V)² / R1", {"R1": 3300}) == pytest.approx(0.157527, rel=1e-4)
    assert worked_out("0.8 × C1 × ln(3.3 V / 1.3 V)", {"C1": 10e-9}) == pytest.approx(7.453e-9, rel=1e-3)
    assert quantity("10,000 µF, 10 V") == (pytest.approx(0.01), pytest.approx(5e-7))
    assert quantity("0.70 mA") == (pytest.approx(0.0007), pytest.approx(5e-6))


# The drawings


def texts(picture):
    tree = ElementTree.parse(PICTURES / picture)
    return ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]


def test_every_drawing_is_in_the_manual_once():
    assert sorted(picture for picture, _, _ in SECTIONS) == sorted(path.name for path in PICTURES.iterdir())
    assert len(SECTIONS) == 6


@pytest.mark.parametrize(("picture", "parts"), [section[:2] for section in SECTIONS])
def test_a_drawing_shows_the_parts_of_its_table_with_their_values_and_no_other(picture, parts):
    shown = texts(picture)
    for name, value, _ in parts:
        first = re.split(r", ", value)[0]
        beside = [f"{text} {after}" for text, after in zip(shown, [*shown[1:], ""]) if text == name]
        assert any(name in text and first in text for text in shown + beside), name
    assert set(REFERENCE.findall(" ".join(shown))) == set(REFERENCE.findall(" ".join(row[0] for row in parts)))


@pytest.mark.parametrize("picture", [section[0] for section in SECTIONS])
def test_a_drawing_can_be_read(picture):
    tree = ElementTree.parse(PICTURES / picture)
    root = tree.getroot()
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    known = {f"#{part.attrib['id']}" for part in tree.iter() if "id" in part.attrib}
    assert {use.attrib["href"] for use in tree.iter(f"{SVG}use")} <= known
    for text in tree.iter(f"{SVG}text"):
        classes = text.attrib.get("class", "").split()
        long = len("".join(text.itertext())) * (12 if "head" in classes else 8)
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        left = x - long if "end" in classes else x - long / 2 if "mid" in classes else x
        assert left >= 0, text.text
        assert left + long <= width, text.text
        assert 0 < y < height, text.text


def test_drawings_share_their_symbols_and_say_that_nobody_has_built_them():
    sources = [path.read_text() for path in PICTURES.iterdir()]
    assert len({source[source.index("<style>") : source.index("</defs>")] for source in sources}) == 1
    assert all("not yet built by anyone" in source for source in sources)
