"""A table behind the page's server, and a client of it."""

import pytest

from tests.support.page.clients import client_of
from tests.support.page.live_table import LiveTable
from tests.support.tables import MBS


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    with LiveTable(tmp_path_factory.mktemp("page"), MBS) as live:
        yield live


@pytest.fixture
def browser(table):
    with client_of(table) as client:
        yield client
