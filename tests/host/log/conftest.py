"""A log of the table that a module of tests makes."""

import pytest

from tests.support.log.logs import write_log


@pytest.fixture
def path(tmp_path, table):
    made = tmp_path / "t1.log"
    write_log(made, table.records())
    return made
