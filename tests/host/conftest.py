"""What several tests start from: keys, folders and what is deployed."""

import pytest

from host.keys import make_signer, make_table_key
from tests.support.deploying import FILES, use_tree
from tests.support.serviced import Serviced
from tests.support.table_files import LUCKY_FILE, write


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


@pytest.fixture
def keyed_folder(tmp_path):
    """A folder with the keys that a table's file names."""
    make_table_key(tmp_path / "t1.key", "T1")
    make_signer(tmp_path / "host.key")
    return tmp_path


@pytest.fixture
def table_file(keyed_folder):
    """The file of a table, beside its keys."""
    return write(keyed_folder, LUCKY_FILE)


@pytest.fixture
def table(tmp_path):
    """A table and the service that runs it."""
    made = Serviced(tmp_path)
    yield made
    made.close()
