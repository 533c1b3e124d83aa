"""The display's colours: after Okabe and Ito, brightened for LEDs, so that the colour-blind can tell them apart.

No colour stands alone: a word, a letter or a shape always says the same.
"""

Colour = tuple[int, int, int]

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
GREEN: Colour = (0, 200, 130)  # bluish: won, open
ORANGE: Colour = (255, 90, 0)  # vermilion: lost, closed, wrong
YELLOW: Colour = (255, 225, 50)  # tied, waiting
BLUE: Colour = (80, 170, 255)  # names and headings
PURPLE: Colour = (225, 120, 210)  # void, returned, jackpot
GREY: Colour = (120, 120, 120)  # cards face down, what is less important

ALL = (WHITE, GREEN, ORANGE, YELLOW, BLUE, PURPLE, GREY)
