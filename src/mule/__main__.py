"""`python -m mule` is `mule`."""

import sys

from mule.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
