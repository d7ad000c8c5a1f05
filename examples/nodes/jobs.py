#!/usr/bin/env python3
"""Prints so many Jobs that ask for one GPU each and tolerate sku=gpu:NoSchedule, as a Kubernetes List: jobs.py 20"""
import json
import sys

TOLERATION = {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}


def job(number: int) -> dict[str, object]:
    container = {"name": "samples", "image": "samples-tf-mnist-demo:gpu", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    pod = {"containers": [container], "tolerations": [TOLERATION], "restartPolicy": "OnFailure"}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"samples-{number:02}"}, "spec": {"template": {"spec": pod}}}


json.dump({"apiVersion": "v1", "kind": "List", "items": [job(i) for i in range(int(sys.argv[1]))]}, sys.stdout)
