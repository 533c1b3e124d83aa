"""How playing a scenario on a target can end otherwise than well."""


class CannotPlay(Exception):
    """This target cannot do what the scenario asks for; the text says why."""


class Differs(Exception):
    """The product does otherwise than it must."""


class Broken(Exception):
    """The target itself does not work, so nothing is known of the product."""
