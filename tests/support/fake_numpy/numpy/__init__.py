"""What assay_target and programs of tests use of numpy, for machines without it: the generators alone."""
from . import random  # noqa: F401
