"""Measurements of speed and memory; not part of the installed program."""
