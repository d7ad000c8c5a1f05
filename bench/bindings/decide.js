// The nanoseconds of one State.decide with one number, the best of 200 rounds: what decide.c measures, from Node.  Behind it the
// same with the whole reason as JSON.
'use strict';

const { Policy } = require('../../bindings/node');

const MANIFEST =
  '{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},' +
  '"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,' +
  '"triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}}';
const ROUNDS = 200;

function best(calls, options) {
  const policy = new Policy(MANIFEST);
  const state = policy.newState();
  const samples = [0];
  const seen = { current: 3, samples, now: 1_795_255_200_000 };
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.hrtime.bigint();
    for (let index = 0; index < calls; index += 1) {
      samples[0] = 10 + (index % 7);
      if (state.decide(seen, options).desired < 1) throw new Error('a decision below the minimum');
      seen.now += 15_000;
    }
    fastest = Math.min(fastest, Number(process.hrtime.bigint() - start) / calls);
  }
  state.close();
  policy.close();
  return Math.round(fastest);
}

console.log(best(1000), best(100, { report: true }));
