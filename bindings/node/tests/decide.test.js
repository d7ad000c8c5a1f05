// Sections 6 and 7: policies, states, decisions, and what is refused before C sees it.
'use strict';

const assert = require('node:assert/strict');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS, scaledObject } = require('./support.js');

const { Policy } = gputide;
const HPA = JSON.stringify({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'demo' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' },
    minReplicas: 1,
    maxReplicas: 10,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
  },
});

function withState(work, manifest = scaledObject()) {
  const policy = new Policy(manifest);
  const state = policy.newState();
  try {
    return work(state, policy);
  } finally {
    state.close();
    policy.close();
  }
}

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

test('a decision from one number', () => {
  withState((state) => {
    const decision = state.decide({ current: 3, samples: [42.5], now: new Date(NOW_MS) });
    assert.deepEqual(
      [decision.current, decision.desired, decision.proposed, decision.limitedBy, decision.source, decision.winner],
      [3, 6, 9, 'scale_up_limit', 'hpa', 0],
    );
    assert.ok(decision.wantsWrite && decision.active && decision.byHpa && decision.byExecutor && !decision.failed);
    assert.deepEqual([decision.now, decision.nextDue], [new Date(NOW_MS), new Date(NOW_MS + 15_000)]);
    assert.deepEqual([decision.event, decision.failedMetric, decision.report, decision.explain()], [null, -1, null, '']);
    assert.deepEqual(decision.conditions.ScalingLimited, { status: 'True', reason: 'ScaleUpLimit', since: new Date(NOW_MS) });
    assert.equal(decision.numbers.limitedBy, gputide.Limit.SCALE_UP);
  });
});

test('plain numbers and samples come to the same, with a report and without', () => {
  const ways = [
    [{ current: 3, samples: [42.5], now: NOW_MS }],
    [{ current: 3, samples: [{ value: 42.5 }], now: NOW_MS }],
    [{ current: 3, samples: [42.5], now: NOW_MS, statusReplicas: 3 }],
    [{ current: 3, samples: [42.5], now: NOW_MS }, { report: true }],
  ];
  const decided = ways.map((way) => withState((state) => state.decide(...way)));
  const plain = decided.map(({ numbers, current, desired, proposed }) => ({ numbers, current, desired, proposed }));
  for (const each of plain) assert.deepEqual(each, plain[0]);
  assert.equal(decided[3].report.data.desired_replicas, 6);
  assert.match(decided[3].explain(), /scale_up_limit/);
  assert.equal(JSON.parse(String(decided[3].report)).limited_by, 'scale_up_limit');
});

test('no number, and no word for it', () => {
  withState((state) => {
    let now = NOW_MS;
    for (const samples of [
      [NaN],
      [Infinity],
      [{ state: 'stale', status: 'E_TIMEOUT', message: 'late' }],
      [{ value: NaN }],
      [null],
    ]) {
      const decision = state.decide({ current: 3, samples, now: (now += 15_000) });
      assert.ok(decision.failed, JSON.stringify(samples));
      assert.equal(decision.failedMetric, 0);
    }
  });
});

test('pods and what they use', () => {
  const pods = ['a', 'b'].map((name) => ({ name, startTime: NOW_MS - 600_000, readyChangeTime: NOW_MS - 500_000 }));
  const podSamples = [1, 2].map((pod) => ({ metric: 0, pod, valueMilli: 90n, requestMilli: 100 }));
  withState((state) => {
    const decision = state.decide({ current: 2, now: NOW_MS, pods, podSamples }, { report: true });
    assert.deepEqual([decision.proposed, decision.desired], [4, 4]);
    assert.match(decision.explain(), /90 %/);
  }, HPA);
});

test('records change the decision and are taken once', () => {
  withState((state) => {
    const decision = state.decide({ current: 3, samples: [42.5], now: NOW_MS });
    const other = state.decide({ current: 3, samples: [42.5], now: NOW_MS + 15_000 });
    const before = other.toJSON();
    state.record(decision, true, NOW_MS);
    assert.equal(decision.conditions.AbleToScale.reason, 'SucceededRescale');
    const recorded = decision.toJSON();
    assert.throws(() => state.record(decision, true, NOW_MS), { code: 'E_STATE', name: 'StateError' });
    assert.deepEqual(decision.toJSON(), recorded);
    assert.deepEqual(other.toJSON(), before);
    for (const applied of [undefined, 1, 'yes']) {
      assert.throws(() => state.record(decision, applied), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    }
    assert.throws(() => state.record({}, true), TypeError);
  });
});

test('states are saved and loaded', () => {
  withState((state, policy) => {
    state.decide({ current: 3, samples: [42.5], now: NOW_MS });
    const all = [policy.loadState(state.save()), policy.loadState(state.describe().text, { unchecked: true })];
    const later = all.map((each) => each.decide({ current: 6, samples: [1], now: NOW_MS + 30_000 }).desired);
    assert.deepEqual(later, Array(2).fill(state.decide({ current: 6, samples: [1], now: NOW_MS + 30_000 }).desired));
    for (const each of all) each.close();
    assert.throws(() => policy.loadState('not a state'), gputide.StateError);
    assert.deepEqual(policy.metrics, ['s0-values']);
    assert.equal(policy.describe().data.maxReplicaCount, 20);
  });
});

test('a state decides after its policy is closed', () => {
  const policy = new Policy(scaledObject());
  const state = policy.newState(new Date(NOW_MS));
  policy.close();
  assert.equal(state.decide({ current: 3, samples: [42.5], now: NOW_MS }).desired, 6);
  assert.throws(() => policy.describe(), gputide.ClosedError);
  state.close();
});

test('what cannot be said in C is refused, with the name of the member', () => {
  withState((state, policy) => {
    const decide = (observation, options) => () =>
      state.decide({ current: 3, samples: [1], now: NOW_MS, ...observation }, options);
    assert.throws(decide({ current: 2 ** 31 }), { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
    assert.throws(decide({ current: 2.5, statusReplicas: 1 }), /current_replicas: 2.5/);
    assert.throws(decide({ current: undefined }), /current: expected the number of replicas/);
    assert.throws(decide({ now: 2 ** 60 }), RangeError);
    assert.throws(decide({ now: new Date(NaN) }), RangeError);
    assert.throws(decide({ now: '2026-11-21' }), TypeError);
    assert.throws(decide({ replicas: 3 }), /an observation has no replicas/);
    assert.throws(decide({ samples: 'x' }), TypeError);
    assert.throws(decide({ samples: [{ state: 'bad' }] }), /state: bad is none of/);
    assert.throws(decide({ podSamples: [{ metric: 0, valueMilli: 2n ** 63n }] }), /value_milli: a bigint beyond 64 bits/);
    assert.throws(decide({ samples: [1, 2] }), { code: 'E_INVALID', action: 'fix_configuration' });
    assert.throws(decide({ now: 0 }), gputide.InvalidError);
    assert.throws(() => state.decide(), TypeError);
    assert.throws(() => new gputide.State(policy), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
    assert.throws(() => new gputide.Decision(), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
  });
});

test('errors say what C says', () => {
  assert.throws(
    () => new Policy('kind: ScaledObject', { textName: 'so.yaml' }),
    (error) => {
      assert.ok(error instanceof gputide.InvalidError && error instanceof gputide.GputideError && error instanceof Error);
      assert.deepEqual([error.code, error.status, error.name], ['E_INVALID', gputide.Status.INVALID, 'InvalidError']);
      assert.equal(error.where, 'so.yaml:1');
      assert.equal(error.message, `${error.where}: ${error.reason}`);
      assert.deepEqual([error.retryable, error.retryAt, error.httpStatus], [false, null, null]);
      assert.equal(error.detail.class, 'config');
      assert.match(error.stack, /^InvalidError: so\.yaml:1.*\n.*at /);
      return true;
    },
  );
});
