"""What several tests of deploying start from."""

import pytest

from host.keys import make_table_key
from tests.host.deploying import FILES, use_tree


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "t1.key"
    make_table_key(path, "T1")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current folder."""
    path = tmp_path / "here"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


@pytest.fixture
def small_tree(monkeypatch):
    use_tree(monkeypatch, FILES)
