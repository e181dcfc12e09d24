"""Training, export and evaluation of the dice reader."""
