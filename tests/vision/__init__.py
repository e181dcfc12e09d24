"""Tests of the package `vision`."""
