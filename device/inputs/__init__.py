"""Buttons, keypads and keyboards: everything that delivers presses, as sources of single keys."""
