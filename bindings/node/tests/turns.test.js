// Calls that wait for their turn on a handle or for a thread.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { heldPrometheus, prometheusTrigger, scaledObject, sleep } = require('./support.js');

/** A scaler with a trigger that has a timeout of its own that is longer than any test. */
function scalerOf(address) {
  const trigger = prometheusTrigger(address);
  trigger.metadata.timeout = '60000';
  return new gputide.Scaler(scaledObject({ triggers: [trigger] }));
}

/** The number of the addon's threads in this process. */
function threadCount() {
  return fs.readdirSync('/proc/self/task').filter((id) => {
    try {
      return fs.readFileSync(`/proc/self/task/${id}/comm`, 'utf8') === 'gputide\n';
    } catch {
      return false; // it has ended
    }
  }).length;
}

async function until(condition) {
  while (!condition()) await sleep(5);
}

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

test('a call that waits for its turn keeps its deadline and its cancel', { timeout: 60_000 }, async () => {
  const peer = await heldPrometheus({ load: 42.5 });
  const scaler = scalerOf(peer.address);
  let ended = false;
  const first = scaler.tick({ current: 3 }, { timeout: 60_000 }).finally(() => (ended = true));
  await until(() => peer.queries === 1);
  await assert.rejects(scaler.tick({ current: 3 }, { timeout: 200 }), (error) => {
    assert.ok(error instanceof gputide.TimeoutError);
    assert.deepEqual([error.code, error.retryable, error.action], ['E_TIMEOUT', true, 'retry']);
    return true;
  });
  const reason = new Error('no longer wanted');
  const controller = new AbortController();
  const aborted = scaler.tick({ current: 3 }, { timeout: 60_000, signal: controller.signal });
  await sleep(50);
  controller.abort(reason);
  await assert.rejects(aborted, (error) => error === reason);
  const next = scaler.tick({ current: 3 }, { timeout: 60_000 });
  assert.equal(ended, false);
  assert.throws(() => scaler.describe(), gputide.BusyError);
  peer.release();
  assert.deepEqual([(await first).desired, (await next).current], [6, 3]); // the ended calls have passed their turns on
  assert.equal(scaler.describe().data.policy.minReplicaCount, 1);
  await Promise.all([scaler.close(), peer.close()]);
});

test('each of many calls has a thread, which ends when it is idle', { timeout: 60_000 }, async () => {
  const peer = await heldPrometheus({ load: 42.5 });
  const scalers = Array.from({ length: 80 }, () => scalerOf(peer.address));
  const ticks = scalers.map((scaler) => scaler.tick({ current: 3 }, { timeout: 60_000 }));
  await until(() => peer.queries === scalers.length); // all of them at the same time
  peer.release();
  assert.deepEqual(
    (await Promise.all(ticks)).map(({ desired }) => desired),
    scalers.map(() => 6),
  );
  await Promise.all(scalers.map((scaler) => scaler.close()));
  await peer.close();
  assert.ok(threadCount() > 64);
  await until(() => threadCount() === 0);
});

test('beyond 1,024 calls one waits for a thread, with its deadline and its cancel', { timeout: 60_000 }, async () => {
  const { threads } = require('../lib/handle.js');
  let end;
  const never = new Promise((_, reject) => (end = reject));
  never.catch(() => {});
  for (let count = 0; count < 1024; count += 1) await threads.enter(never);
  const peer = await heldPrometheus({ load: 42.5 });
  peer.release();
  const scaler = scalerOf(peer.address);
  await assert.rejects(scaler.tick({ current: 3 }, { timeout: 50 }), gputide.TimeoutError);
  await assert.rejects(scaler.tick({ current: 3 }, { timeout: 60_000, signal: AbortSignal.timeout(50) }), { code: 23 });
  const waits = scaler.tick({ current: 3 }, { timeout: 60_000 });
  await sleep(20);
  assert.equal(peer.queries, 0);
  for (let count = 0; count < 1024; count += 1) threads.leave();
  assert.equal((await waits).desired, 6);
  end();
  await Promise.all([scaler.close(), peer.close()]);
});

test('a line that another call waits for is null in time', { timeout: 60_000 }, async () => {
  const reader = new gputide.LogReader();
  const first = reader.next({ timeout: 60_000 });
  assert.equal(await reader.next({ timeout: 20 }), null);
  assert.equal(await reader.next({ timeout: 0 }), null);
  await Promise.all([assert.rejects(first, gputide.CancelledError), reader.close()]);
});
