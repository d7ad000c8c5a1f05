// Section 10 and the log.
'use strict';

const assert = require('node:assert/strict');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS, prometheus, prometheusTrigger, scaledObject } = require('./support.js');

const { LogReader, Policy, Replay, Scaler, Series, logTo } = gputide;
const TIMES = Array.from({ length: 40 }, (_, index) => NOW_MS + index * 15_000);
const VALUES = TIMES.map((_, index) => (index < 20 ? 20 : 2));

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

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
