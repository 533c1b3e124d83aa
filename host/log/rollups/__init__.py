"""What is kept of rounds beside the records, so that lists, counts and statistics are quick."""
