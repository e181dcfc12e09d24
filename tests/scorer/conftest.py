"""What the tests of the scorer share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long an example takes says something about the machine and what else runs on it, not about the rules.
settings.register_profile("scorer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("scorer")
