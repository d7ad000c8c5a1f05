#!/usr/bin/env python3
"""The same polls with Python's requests: one session, one after another, the value read out of the JSON.

    requests_poll.py URL POLLS        CA: REQUESTS_CA_BUNDLE
"""
import json
import sys
import time

import requests

server, polls = sys.argv[1], int(sys.argv[2])
session = requests.Session()
session.trust_env = True


def poll(trigger: int) -> float:
    query = {"query": f'avg(DCGM_FI_DEV_GPU_UTIL{{deployment="app-{trigger}"}})',
             "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    answer = session.get(f"{server}/api/v1/query", params=query, timeout=10)
    answer.raise_for_status()
    return float(answer.json()["data"]["result"][0]["value"][1])


poll(0)
before = time.process_time()
for number in range(polls):
    poll(number)
busy = time.process_time() - before
print(json.dumps([{"of": "fetch_tls_64", "peer": "requests", "baseline": f"Python: requests {requests.__version__}",
                   "value": polls / busy, "note": f"{polls} polls, one after another; the answer read and parsed"}]))
