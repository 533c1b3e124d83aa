"""Running a table from the host."""
