"""The approved rulebooks, one module each. A sixth book is one new file here and its tests."""
