"""What the rulebooks say, for people: odds, settlements on request, the inventory of paragraphs and readings."""
