"""What table and host say to each other."""
