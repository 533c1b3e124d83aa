"""What the tests of facts share: each runs in every book unless it says otherwise."""

import pytest

from tests.support.tables import GAMES


@pytest.fixture(params=GAMES)
def game(request):
    return request.param
