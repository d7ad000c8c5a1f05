"""One poll of a KEDA ScaledJob: how many Jobs to create, from texts alone."""

from __future__ import annotations

from ._call import JsonText, Text, TextRoom, check, encoded, err
from ._load import library
from .values import Options, options_argument


def decide_scaled_job(manifest: Text, observation: Text, options: Options | None = None) -> JsonText:
    """observation: JSON, {"values": [42.5, null], "running": 3, "pending": 1}: a value per trigger, null where its read failed
    (docs/jobs.md).  The decision is JSON with create, delete, conditions, events and reasons."""
    text, what = encoded(manifest), encoded(observation)
    decision = TextRoom()
    arguments = (text, len(text), options_argument(options), what, len(what), decision.reference)
    check(library().scaled_job_decide(*arguments, err()))
    return JsonText(decision.take() or "")


__all__ = ["decide_scaled_job"]
