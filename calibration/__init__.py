"""Calibration: where the table is in the picture."""
