"""Sections 4 and 5 of gputide.h: credentials, one metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

import gputide

from .. import values
from .table import does, gives, opens, registered

if TYPE_CHECKING:
    from ..case import Call

opens("credential.open", lambda call: gputide.Credential(call.text("text"), call.options()))
does(
    "credential.invalidate",
    lambda call: call.handle("credential", gputide.Credential).invalidate(call.word("scope"), call.text("token")),
)
gives("token.claims", "json", lambda call: gputide.token_claims(call.text("token")))


@registered("credential.token")
def _token(call: Call) -> None:
    credential = call.handle("credential", gputide.Credential)
    token = credential.token(call.word("scope"), timeout=call.seconds("timeout_ms"))
    call.result["token"] = token.value
    call.result["info"] = {
        "expires_at_ms": values.out_integer(token.expires_ms),
        "refresh_at_ms": values.out_integer(token.refresh_ms),
        "usable_until_ms": values.out_integer(token.usable_until_ms),
    }


def _source(call: Call) -> gputide.Source:
    return call.handle("source", gputide.Source)


def _samples(call: Call) -> gputide.Samples:
    return call.handle("samples", gputide.Samples)


def _read(call: Call, read: Callable[[], gputide.Sample]) -> None:
    """A failed read gives its sample beside the error."""
    try:
        call.result["sample"] = values.sample(read())
    except gputide.Error as error:
        sample = getattr(error, "sample", None)
        if sample is not None:
            call.result["sample"] = values.sample(sample)
        raise


opens("source.open", lambda call: gputide.Source(call.text("text"), call.options()))
opens(
    "source.fetch_all",
    lambda call: _source(call).fetch_all(now=call.integer("now_ms"), timeout=call.seconds("timeout_ms")),
)
opens(
    "source.parse_all",
    lambda call: _source(call).parse_all(call.integer("http_status"), call.text("body"), call.text("headers")),
)
gives("source.request", "json", lambda call: _source(call).request(now=call.integer("now_ms")))
gives("source.describe", "json", lambda call: _source(call).describe())
gives("samples.count", "count", lambda call: len(_samples(call)))
gives("samples.get", "sample", lambda call: values.sample(_samples(call).sample(call.integer("index"))))
gives("samples.labels", "labels", lambda call: _samples(call).labels(call.integer("index")))
gives("samples.describe", "json", lambda call: _samples(call).describe())
gives("quantity", "milli", lambda call: values.out_integer(gputide.quantity(call.text("text"))))


@registered("source.fetch")
def _fetch(call: Call) -> None:
    source = _source(call)
    _read(call, lambda: source.fetch(now=call.integer("now_ms"), timeout=call.seconds("timeout_ms")))


@registered("source.parse")
def _parse(call: Call) -> None:
    source = _source(call)
    _read(call, lambda: source.parse(call.integer("http_status"), call.text("body")))
