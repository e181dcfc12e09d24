"""Displays: everything that shows the score. A display takes a `ScoreView`, plain data, and nothing else."""
