"""Tests of the package `device`."""
