"""Random models make single examples slow now and then: no deadline, and the same examples in every run of CI."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "mule",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.load_profile("mule")
