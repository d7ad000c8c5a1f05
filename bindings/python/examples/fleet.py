"""A fleet of scalers in one asyncio loop: their triggers are polled side by side, each decision that matters is an event.

python3 fleet.py ADDRESS SECONDS     ADDRESS: of a Prometheus, or of anything that answers /api/v1/query as it does
"""

import asyncio
import sys

import gputide

MANIFEST = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {name}
  annotations: {{gputide.io/sync-period: 1s}}
spec:
  scaleTargetRef: {{name: {name}}}
  minReplicaCount: 1
  maxReplicaCount: 10
  pollingInterval: 1
  triggers:
    - type: prometheus
      metadata: {{serverAddress: "{address}", query: 'queue_length{{model="{name}"}}', threshold: "4"}}
"""


async def resize(name: str, replicas: int) -> bool:
    """Here a host would write to Kubernetes, to Ray, to its own process table."""
    await asyncio.sleep(0.01)
    print(f"{name} now has {replicas} replicas", flush=True)
    return True


async def serve(runtime: gputide.Runtime) -> None:
    async for event in runtime.events():
        if event.wants_write:
            runtime.record(event, applied=await resize(event.name, event.desired))


async def main(address: str, seconds: float) -> None:
    with gputide.Runtime(gputide.RuntimeOptions(start_spread=0.2)) as runtime:
        for name in ("chat", "embed", "rerank"):
            scaler = runtime.add(MANIFEST.format(name=name, address=address))
            runtime.observe(scaler, current=1)
        events = asyncio.ensure_future(serve(runtime))
        await asyncio.sleep(seconds)
        events.cancel()
        print(f"{runtime.stats().data['polls']} polls")


asyncio.run(main(sys.argv[1], float(sys.argv[2])))
