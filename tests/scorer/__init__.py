"""Tests of the package `scorer`."""
