// plan.h (forecast, nodes, right-sizing, jobs, replay), and the log.
'use strict';

const assert = require('node:assert/strict');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS, prometheus, prometheusTrigger, scaledObject } = require('./support.js');

const { Forecast, LogReader, Policy, Replay, Rightsize, Scaler, Series, decideScaledJob, logTo, planNodes } = gputide;
const SIZES = { reactiveReplicas: 4, currentReplicas: 4, maxReplicas: 40 };
const GIB = 1024 ** 3;
const TIMES = Array.from({ length: 40 }, (_, index) => NOW_MS + index * 15_000);
const VALUES = TIMES.map((_, index) => (index < 20 ? 20 : 2));

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

/** A load that is high for ten minutes of every hour. */
function drive(forecast, from, to) {
  for (let minute = from; minute < to; minute += 1) forecast.add(NOW_MS + minute * 60_000, minute % 60 < 10 ? 100 : 20);
}

test('forecast: what comes every hour is asked for before', () => {
  const forecast = new Forecast({ warmup_ms: 3_600_000 });
  const asleep = { state: 'warming', reason: 'warming_up', replicas: 4, needReplicas: null, floorLoad: null };
  assert.deepEqual(forecast.floor(5, SIZES), asleep);
  drive(forecast, 0, 2 * 1440 + 56);
  const floor = forecast.floor(5, SIZES);
  assert.deepEqual([floor.state, floor.replicas, floor.needReplicas > 4, floor.floorLoad > 20], ['on', 12, true, true]);
  forecast.charge(floor.replicas, 4);
  assert.ok(forecast.describe().data.skill_percent > 2);
  forecast.close();
});

test('forecast: a saved one goes on as it was', () => {
  const [first, other] = [new Forecast(), new Forecast('{}')];
  drive(first, 0, 300);
  first.add(new Date(NOW_MS + 300 * 60_000), null);
  other.load(first.save());
  drive(first, 301, 400);
  drive(other, 301, 400);
  assert.equal(first.save(), other.save());
  assert.throws(() => other.load('{}'), gputide.StateError);
  assert.throws(() => other.charge(2 ** 40, 1), RangeError);
  assert.throws(() => other.floor(5), TypeError);
  assert.throws(() => new Forecast({ lead_ms: 5 }), { code: 'E_INVALID', where: 'lead_ms' });
  first.close();
  other.close();
});

test('forecast: a decision says how that of its policy stands', () => {
  const manifest = JSON.parse(scaledObject());
  const plain = new Policy(JSON.stringify(manifest));
  manifest.metadata.annotations = { 'gputide.io/forecast': 'act' };
  const forecasting = new Policy(JSON.stringify(manifest));
  const stands = (policy) => {
    const state = policy.newState();
    const { forecastState, forecastNeed } = state.decide({ current: 3, samples: [42.5], now: NOW_MS });
    state.close();
    policy.close();
    return [forecastState, forecastNeed];
  };
  assert.deepEqual(stands(plain), [null, null]);
  assert.deepEqual(stands(forecasting), ['warming', null]);
});

test('nodes: pods that wait get a node of a pool, and the state goes into the next plan', () => {
  const allocatable = { cpu: 8000, memory: '32Gi', 'nvidia.com/gpu': 1 };
  const pod = { requests: { cpu: 1000, 'nvidia.com/gpu': 1 } };
  const text = JSON.stringify({
    pools: [{ id: 'gpu', size: 0, min: 0, max: 4, allocatable }],
    groups: [{ name: 'train', count: 2, pod }],
  });
  const plan = planNodes(text, { now: NOW_MS });
  const { json, state, ...counts } = plan;
  assert.deepEqual(counts, {
    ...{ errors: 0, warnings: counts.warnings, nodesToAdd: 2, nodesToRemove: 0 },
    ...{ podsPending: 2, podsOnExisting: 0, podsOnNew: 2, podsLeft: 0 },
  });
  assert.equal(typeof json.data, 'object');
  assert.equal(planNodes(Buffer.from(text), { state, now: new Date(NOW_MS + 10_000) }).errors, 0);
  assert.throws(() => planNodes(text, { state: 'no state' }), gputide.StateError);
});

test('rightsize: samples of a container come to a recommendation, which goes on from a text', () => {
  const settings = { gpu_model: 'A100', gpu_memory_bytes: '80G' };
  const [first, other] = [new Rightsize(settings), new Rightsize(JSON.stringify(settings))];
  const container = first.container('chat');
  assert.deepEqual([container, first.container('chat'), first.container('embed')], [1, 1, 2]);
  const samples = Array.from({ length: 200 }, (_, index) => {
    return { time: NOW_MS + index * 60_000, container, busy: 30.5, memoryBytes: 5 * GIB };
  });
  assert.equal(first.add(samples), 200);
  assert.equal(first.add([samples[0], { time: NOW_MS, container, unit: 7, oom: true, memoryBytes: BigInt(GIB) }]), 1);
  const now = NOW_MS + 200 * 60_000;
  assert.equal(typeof first.recommend({ container, now }).data.verdict, 'string');
  assert.notEqual(first.recommend({ container, now }).text, first.recommend({ now }).text);
  other.load(first.save({ container, now }), { container: other.container('chat') });
  assert.equal(other.save({ container: 1, now }), first.save({ container, now }));
  assert.equal(typeof first.fit(5 * GIB, 12.5).data, 'object');
  assert.equal(typeof first.describe().data, 'object');
  assert.throws(() => first.recommend({ container: 9 }), gputide.NotFoundError);
  assert.throws(() => other.load('{}', { container: 1 }), gputide.StateError);
  assert.throws(() => first.add([7]), TypeError);
  assert.throws(() => first.add([{ container: -1 }]), RangeError);
  assert.throws(() => new Rightsize({ gpus: 0 }), gputide.InvalidError);
  first.close();
  other.close();
});

test('jobs: a poll of a ScaledJob', () => {
  const trigger = { type: 'prometheus', metadata: { serverAddress: 'http://x', query: 'q', threshold: '2' } };
  const spec = { jobTargetRef: { template: {} }, triggers: [trigger] };
  const manifest = JSON.stringify({ apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledJob', metadata: { name: 'train' }, spec });
  const observation = { values: [12.5], running: 3, pending: 1 };
  assert.equal(decideScaledJob(manifest, observation).data.create, 4);
  assert.equal(decideScaledJob(manifest, JSON.stringify(observation), { strict: true }).data.create, 4);
  assert.equal(
    decideScaledJob(manifest, { values: [NaN], running: 0 }).text,
    decideScaledJob(manifest, '{"values":[null],"running":0}').text,
  );
  assert.throws(() => decideScaledJob(manifest, { values: [] }), gputide.InvalidError);
  assert.throws(() => decideScaledJob(scaledObject(), observation), gputide.GputideError);
});

test('a series through a policy', async () => {
  const series = new Series();
  const replay = new Replay(scaledObject(), { settings: { model: 'open' } });
  series.add(
    0,
    TIMES.map((ms) => new Date(ms)),
    VALUES,
  );
  series.addReplicas(TIMES, Array(TIMES.length).fill(3));
  assert.equal(series.describe().data.points, TIMES.length);
  const run = replay.run(series);
  assert.throws(() => series.describe(), gputide.BusyError);
  await run;
  assert.ok(replay.report().data.summary.replica_hours > 0);
  await assert.rejects(replay.run(series), { code: 'E_STATE', reason: /ended/ });
  assert.throws(() => new Replay(scaledObject(), { settings: '{"modle":1}' }), gputide.InvalidError);
  await Promise.all([series.close(), replay.close()]);
});

test('moment by moment', async () => {
  const replay = new Replay(scaledObject());
  assert.equal(replay.record(TIMES[0], [VALUES[0]], { replicas: 3 }).source, null);
  const last = TIMES.slice(1)
    .map((time, index) => replay.record(time, [VALUES[index + 1]]))
    .at(-1);
  assert.notEqual(last.source, null);
  assert.equal(typeof replay.report().data.summary, 'object');
  await replay.close();
});

test('CSV goes out and comes back', async () => {
  const series = new Series();
  const again = new Series();
  series.add(0, BigInt64Array.from(TIMES, BigInt), Float64Array.from([NaN, ...VALUES.slice(1)]));
  again.read(series.write());
  assert.equal(again.write(), series.write());
  assert.match(series.write(), /^time,/);
  assert.throws(() => series.add(0, TIMES, VALUES.slice(1)), RangeError);
  assert.throws(() => series.addReplicas([NOW_MS], [2 ** 31]), RangeError);
  assert.throws(() => series.read('{'), gputide.GputideError);
  await Promise.all([series.close(), again.close()]);
});

test('a run can be canceled', async () => {
  const series = new Series();
  const replay = new Replay(scaledObject());
  const times = Array.from({ length: 400_000 }, (_, index) => NOW_MS + index * 15_000);
  series.add(0, times, new Float64Array(times.length).fill(1));
  const reason = new Error('enough');
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 1);
  await assert.rejects(replay.run(series, { signal: controller.signal }), (error) => error === reason);
  await Promise.all([series.close(), replay.close()]);
});

test('the past of a metric comes from its source', async () => {
  const peer = await prometheus({ load: 42.5 });
  const series = new Series();
  const scaler = new Scaler(scaledObject({ triggers: [prometheusTrigger(peer.address)] }));
  const range = { from: NOW_MS, to: new Date(NOW_MS + 60_000), step: 15_000, timeout: 5000 };
  await series.fetch(scaler, range);
  assert.equal(series.describe().data.points, 5);
  await assert.rejects(series.fetch(scaler, { ...range, metric: 1 }), gputide.NotFoundError);
  await assert.rejects(series.fetch(series, range), { code: 'ERR_INVALID_ARG_TYPE' });
  await Promise.all([series.close(), scaler.close(), peer.close()]);
});

test('a wait for a line ends in time, or when the reader is closed', async () => {
  const reader = new LogReader('debug');
  assert.equal(await reader.next({ timeout: 50 }), null);
  const waiting = reader.next({ timeout: 30_000 });
  await reader.close();
  await assert.rejects(waiting, gputide.CancelledError);
  for await (const line of reader) assert.fail(line.text);
});

test('lines reach a logger', async () => {
  const peer = await prometheus({});
  const lines = [];
  const put = (level) => (text) => lines.push([level, text]);
  const logger = { error: put('error'), warn: put('warn'), info: put('info'), debug: put('debug') };
  const log = logTo(logger, 'debug');
  const policy = new Policy(scaledObject());
  policy.close();
  const scaler = new Scaler(scaledObject({ triggers: [prometheusTrigger(peer.address)] }));
  await scaler.tick({ current: 1 });
  await Promise.all([scaler.close(), peer.close()]);
  await log.close();
  await log.close();
  for (const [level, text] of lines) assert.ok(logger[level] && text.length > 0 && !text.includes('\n'));
});
