"""Whether a table behaves as it should: wagers, shuffler and reader against what has to come of them."""
