"""Tests of the package `calibration`."""
