"""What two publications of the same people give away together."""
