"""The text files of sentences: every code once, and every template one that can be filled."""

from string import Formatter

import pytest

from host.words.sentences import FOLDER, SHOWN, read_templates

FILES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def test_there_are_files():
    assert "refusals" in FILES


@pytest.mark.parametrize("name", FILES)
def test_every_code_stands_once_and_has_words(name):
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    codes = [line.partition(":")[0] for line in lines if line and line[0] not in " #"]
    templates = read_templates(name)
    assert len(codes) == len(set(codes)) == len(templates)
    assert all(templates.values())


@pytest.mark.parametrize("name", FILES)
def test_every_template_names_its_fields_and_ways_to_show_them(name):
    for text in read_templates(name).values():
        for _, field, way, _ in Formatter().parse(text):
            assert field is None or field.isidentifier()
            assert not way or way in SHOWN or format(1.5, way)
