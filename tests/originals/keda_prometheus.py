"""KEDA's prometheus scaler on the answers of a server, against gputide_source_parse of the same answers, profile strict."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import gputide

from original import Difference, Original, Outcome

Json = dict[str, Any]
NUMBERS = ("0", "1", "42.5", "0.0004", "-3", "1e3", "NaN", "+Inf", "-Inf", "Inf", "1e308", "007", ".5", "1_000", "0x10", "", "many", "1e400", " 1")


class KedaPrometheus(Original):
    name = "keda prometheus"
    version = "github.com/kedacore/keda/v2"
    program = ("keda-scalers", "prometheus")
    fixed = frozenset({"status"})
    optional = frozenset({'ignoreNullValues', 'activationThreshold'})
    lists = frozenset()

    def make(self, rng: random.Random) -> Json:
        metadata = {"threshold": rng.choice(["1", "5", "0.5"])}
        if rng.random() < 0.6:
            metadata["ignoreNullValues"] = rng.choice(["true", "false"])
        if rng.random() < 0.4:
            metadata["activationThreshold"] = rng.choice(["0", "1", "42.5", "-5"])
        status = rng.choices([200, 204, 400, 404, 422, 500, 503], [90, 2, 2, 2, 2, 1, 1])[0]
        return {"status": status, "body": "" if status == 204 else body(rng), "metadata": metadata, "metric_type": "AverageValue"}

    def compare(self, given: Json, answer: Json) -> Outcome:
        if "refused" in answer:
            return Outcome(skipped=f"the original: {answer['refused']}")
        metadata = {"serverAddress": "http://127.0.0.1:9090", "query": "up", "gputide.io/profile": "strict", **given["metadata"]}
        trigger = {"type": "prometheus", "metadata": metadata}
        strict = gputide.Options(strict=True)
        del metadata["gputide.io/profile"]
        with gputide.Source(json.dumps(trigger), strict) as source:
            try:
                value, failure = source.parse(given["status"], given["body"]).value, None
            except gputide.Error as error:
                value, failure = None, str(error)
        facts = {"theirs": answer["error"], "ours": failure, "body": given["body"], "status": given["status"]}
        out = Outcome(compared=1)
        if bool(answer["error"]) != (failure is not None):
            out.differences = [Difference("failed", answer["error"], failure or value, facts=facts)]
        elif value is not None:
            active = value > float(given["metadata"].get("activationThreshold", "0"))
            for field, theirs, ours in (("value", answer["milli"], milli_of(value)), ("active", answer["active"], active)):
                if theirs != ours:
                    out.differences.append(Difference(field, theirs, ours, facts=facts))
        return out

    def as_case(self, given: Json, answer: Json) -> Json:
        expect: Json = {"error": bool(answer["error"])}
        if not answer["error"]:
            expect |= {"active": answer["active"], "metric_milli": str(answer["milli"])}
        return {"name": "found by tests/originals", "kind": "prom_response", "origin": "derived", "http_status": given["status"], "body": given["body"],
                "ignoreNullValues": given["metadata"].get("ignoreNullValues", "true") == "true",
                "activationThreshold": float(given["metadata"].get("activationThreshold", "0")), "expect": expect}  # fmt: skip


def milli_of(value: float) -> int | None:
    """Returns what KEDA hands to the HPA: three decimals, never negative; None: beyond what a quantity of thousandths holds."""
    if not math.isfinite(value) or value < 0:
        return 0
    return min(int(f"{value:.3f}".replace(".", "")), 2**63 - 1)


def body(rng: random.Random) -> str:
    form = rng.random()
    if form < 0.03:
        return rng.choice(["", "{}", "[]", "null", "no", "{", '{"data":null}', '{"data":{"result":null}}', '{"data":{"result":{}}}'])
    if form < 0.08:
        return json.dumps({"status": "error", "errorType": rng.choice(["bad_data", "timeout", "execution"]), "error": "no"})
    kind = rng.choices(["vector", "matrix", "scalar", "string"], [85, 5, 5, 5])[0]
    result: Any = [series(rng) for _ in range(rng.choices([0, 1, 2, 3], [10, 80, 7, 3])[0])]
    if kind == "matrix":
        result = [{"metric": {}, "values": [[1, "1"], [2, rng.choice(NUMBERS)]]} for _ in range(rng.randint(0, 2))]
    if kind in ("scalar", "string"):
        result = [1700000000.123, rng.choice(NUMBERS)]
    out: Json = {"status": "success", "data": {"resultType": kind, "result": result}}
    if rng.random() < 0.05:
        out["warnings"] = ["not all"]
    if rng.random() < 0.04:
        del out["data"][rng.choice(["resultType", "result"])]
    text = json.dumps(out)
    if rng.random() < 0.02:
        return text[: rng.randrange(len(text))]
    return text + rng.choice(["\n", " ", "x"]) if rng.random() < 0.02 else text


def series(rng: random.Random) -> Json:
    metric = {"job": "x"} if rng.random() < 0.5 else {}
    value: Any = [1700000000.123, rng.choice(NUMBERS) if rng.random() < 0.6 else repr(round(rng.lognormvariate(0, 4), 6))]
    if rng.random() < 0.06:
        value = rng.choice([[], [1700000000.123], [1, None], [1, 5], [1, True], [1, "2", "3"], ["1", "2"], None, [None, "4"], [1, {}]])
    out: Json = {"metric": metric, "value": value}
    if rng.random() < 0.02:
        del out["value"]
    return out
