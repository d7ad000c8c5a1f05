// A fleet of scalers: their triggers are polled side by side, each decision that matters is an event of an async iterator.
//   node fleet.mjs ADDRESS SECONDS     ADDRESS: of a Prometheus, or of anything that answers /api/v1/query as it does
import { setTimeout as sleep } from 'node:timers/promises';
import { Runtime } from 'gputide';

const [address, seconds] = process.argv.slice(2);

const manifest = (name) => `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: ${name}
  annotations: {gputide.io/sync-period: 1s}
spec:
  scaleTargetRef: {name: ${name}}
  minReplicaCount: 1
  maxReplicaCount: 10
  pollingInterval: 1
  triggers:
    - type: prometheus
      metadata: {serverAddress: "${address}", query: 'queue_length{model="${name}"}', threshold: "4"}
`;

/** Here a host would write to Kubernetes, to Ray, to its own process table. */
async function resize(name, replicas) {
  await sleep(10);
  console.log(`${name} now has ${replicas} replicas`);
  return true;
}

const runtime = new Runtime({ startSpread: 200 });
for (const name of ['chat', 'embed', 'rerank']) runtime.observe(runtime.add(manifest(name)), { current: 1 });

const signal = AbortSignal.timeout(Number(seconds) * 1000);
try {
  for await (const event of runtime.events({ signal })) {
    if (event.wantsWrite) runtime.record(event, await resize(event.name, event.desired));
  }
} catch (error) {
  if (!signal.aborted) throw error;
}
console.log(`${runtime.stats().data.polls} polls`);
await runtime.close();
