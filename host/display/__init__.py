"""The LED results display: one picture of the table's state, and the panels that show it."""
