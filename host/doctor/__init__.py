"""What `felt doctor` and `felt support` look at."""
