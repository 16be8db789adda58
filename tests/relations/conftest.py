"""Random models make the tests slow to start and quick to find something; no deadline for single examples."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "relations",
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.load_profile("relations")
