"""What a value and a view of a column mean, whichever engine counts them."""
