"""Each call of protocol 1 as a user of this package would write it: a module per section of gputide.h, or a few of them."""

from . import library, plans, policy, replay, runtime, scaler, source  # noqa: F401 - importing one lists its calls
from .table import CALLS

__all__ = ["CALLS"]
