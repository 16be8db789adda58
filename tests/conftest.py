"""Random models make single examples slow now and then: no deadline, and the same examples in every run of CI."""

import os
import signal

from hypothesis import HealthCheck, settings

# A shell starts jobs in the background with Ctrl-C ignored, and their children inherit that: tests that interrupt a
# command would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "mule",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.load_profile("mule")
