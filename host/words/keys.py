"""What is wrong with a key file, by its code: what was found and, after a bar, what to do."""

from host.words.sentences import read_templates

KEYS = read_templates("keys")
