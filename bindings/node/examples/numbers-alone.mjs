// A decision from plain numbers: no file, no network, no clock.  GPU utilization 42.5 % on 3 replicas, threshold 5.
import { Policy } from 'gputide';

const manifest = `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  minReplicaCount: 1
  maxReplicaCount: 20
  triggers:
    - type: values
      metadata: {threshold: "5", activationThreshold: "2"}
`;

let now = Date.parse('2026-11-21T00:00:00Z');
let replicas = 3;
let decision;
const policy = new Policy(manifest);
const state = policy.newState(now);
for (const utilization of [42.5, 42.5, 21, 4]) {
  decision = state.decide({ current: replicas, samples: [utilization], now }, { report: true });
  console.log(`${decision.current} -> ${decision.desired}, proposed ${decision.proposed}, limited by ${decision.limitedBy}`);
  if (decision.wantsWrite) {
    replicas = decision.desired;
    state.record(decision, true, now);
  }
  now += 15_000;
}
console.log(decision.explain());
state.close();
policy.close();
