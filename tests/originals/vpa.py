"""The VerticalPodAutoscaler's recommender: samples of one container against gputide_rightsize_recommend, profile vpa."""

from __future__ import annotations

import random
from typing import Any

import gputide

from original import Difference, Original, Outcome

Json = dict[str, Any]
MIDNIGHT_MS = 1_728_000_000_000


class Vpa(Original):
    name = "vpa"
    version = "k8s.io/autoscaler/vertical-pod-autoscaler"
    program = ("vpa",)
    optional = frozenset({'millicores', 'bytes'})
    lists = frozenset({'samples'})

    def make(self, rng: random.Random) -> Json:
        usual = rng.random() < 0.5
        config: Json = {
            "margin": 0.15 if usual else rng.choice([0, 0.05, 0.5]),
            "target_percentile": 0.9 if usual else rng.choice([0.5, 0.8, 0.99]),
            "lower_percentile": 0.5 if usual else rng.choice([0.1, 0.5]),
            "upper_percentile": 0.95 if usual else rng.choice([0.99, 0.999, 1]),
            "min_millicores": 25 if usual else rng.choice([0, 1, 100]),
            "min_megabytes": 250 if usual else rng.choice([0, 1, 1000]),
            "memory_interval_s": 86400 if usual else rng.choice([3600, 43200]),
            "half_life_s": 86400 if usual else rng.choice([3600, 604800]),
        }
        return {"containers": 1, "config": config, "samples": self._samples(rng)}

    def _samples(self, rng: random.Random) -> list[Json]:
        at = MIDNIGHT_MS + rng.choice([0, 0, rng.randrange(86_400_000)])
        step = rng.choice([60_000, 60_000, 300_000, 3_600_000, 86_400_000])
        cpu, memory = rng.choice([1, 20, 300, 4000, 100_000]), rng.choice([1_000_000, 50_000_000, 10**9, 10**11])
        out: list[Json] = []
        for _ in range(rng.choice([1, 2, 5, 20, 60, 200])):
            at += rng.choice([step, step, step, step, 1, 0, -step, 20 * step])
            sample: Json = {"ms": at}
            if rng.random() < 0.9:
                sample["millicores"] = round(cpu * rng.lognormvariate(0, 0.6)) if rng.random() < 0.95 else 0
            if rng.random() < 0.9:
                sample["bytes"] = round(memory * rng.lognormvariate(0, 0.3)) if rng.random() < 0.97 else 0
            out.append(sample)
            if rng.random() < 0.02:
                out.append({"ms": at + rng.choice([0, 1000]), "oom_requested": rng.choice([0, memory, 2 * memory])})
        return out

    def compare(self, given: Json, answer: Json) -> Outcome:
        if "refused" in answer:
            return Outcome(skipped=f"the original: {answer['refused']}")
        try:
            ours = bounds_of(given, given["config"])
        except gputide.Error as error:
            return Outcome(skipped=f"refused: {error}")
        out = Outcome(compared=1)
        for bound in ("target", "lower", "upper"):
            for name in ("millicores", "bytes"):
                if ours[bound][name] != answer[bound][name]:
                    out.differences.append(Difference(f"{name} {bound}", answer[bound][name], ours[bound][name]))
        return out


def bounds_of(given: Json, config: Json) -> Json:
    rightsize = gputide.Rightsize(settings_of(config))
    for sample in given["samples"]:
        for entry in usage_of(sample):
            rightsize.add([entry])
    report = rightsize.recommend(given["samples"][-1]["ms"] + 1 if given["samples"] else MIDNIGHT_MS).data
    return {bound: {"millicores": report["busy"]["uncapped"][bound], "bytes": report["memory"]["uncapped"][bound]}
            for bound in ("target", "lower", "upper")}  # fmt: skip


def settings_of(config: Json) -> Json:
    return {
        "profile": "vpa",
        "busy_margin": config["margin"],
        "memory_margin": config["margin"],
        "target_percentile": config["target_percentile"],
        "lower_percentile": config["lower_percentile"],
        "upper_percentile": config["upper_percentile"],
        "least_busy": config["min_millicores"],
        "least_memory_bytes": config["min_megabytes"] * 1024 * 1024,
        "memory_interval_ms": config["memory_interval_s"] * 1000,
        "half_life_ms": config["half_life_s"] * 1000,
    }


def usage_of(sample: Json) -> list[gputide.UsageSample]:
    """CPU and memory apart, as the recommender takes them: each has its own order of times."""
    out = []
    if "millicores" in sample:
        out.append(gputide.UsageSample(time=sample["ms"], busy=sample["millicores"] / 1000))
    if "bytes" in sample:
        out.append(gputide.UsageSample(time=sample["ms"], memory=sample["bytes"]))
    if "oom_requested" in sample:
        out.append(gputide.UsageSample(time=sample["ms"], oom=True, memory=sample["oom_requested"]))
    return out
