"""Cards, hand values, the words a rulebook is written in, and settlement."""
