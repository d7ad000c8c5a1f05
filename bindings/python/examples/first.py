"""A manifest to a decision.  MANIFEST's prometheus triggers are asked; REPLICAS is the present size.

python3 first.py MANIFEST REPLICAS
"""

import sys

import gputide

manifest, replicas = sys.argv[1], int(sys.argv[2])
with gputide.open(manifest, allow_environment=True) as scaler:
    decision = scaler.tick(current=replicas, timeout=5)
    print(decision.current, "->", decision.desired, decision.limited_by)
    if decision.wants_write:
        scaler.record(decision, applied=True)  # here: write decision.desired to the target, and record whether it succeeded
