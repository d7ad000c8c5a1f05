// Section 9: many scalers, their events as an async iterator.
'use strict';

const assert = require('node:assert/strict');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS, prometheus, prometheusTrigger, scaledObject, sleep } = require('./support.js');

const { Runtime } = gputide;

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

/** The first event of a loop that ends with it. */
async function first(runtime) {
  for await (const event of runtime.events()) return event;
  return undefined;
}

test("steps by a clock of one's own", async () => {
  const runtime = new Runtime({ reports: true, startSpread: 1, seed: 2n ** 64n - 1n });
  const scaler = runtime.add(scaledObject(), { tag: 2n ** 64n - 1n, strict: false });
  assert.equal(runtime.find('default/demo'), scaler);
  runtime.observe(scaler, { current: 3, samples: [42.5], now: NOW_MS });
  let event = null;
  let now = NOW_MS;
  while (event === null) {
    now = runtime.step(now) ?? now;
    event = await runtime.nextEvent({ timeout: 0 });
  }
  assert.deepEqual(
    [event.id, event.tag, event.name, event.kind, event.due],
    [scaler, 2n ** 64n - 1n, 'default/demo', 'decision', false],
  );
  assert.deepEqual([event.current, event.desired, event.sequence, event.replaced], [3, 6, 1, 0]);
  assert.deepEqual(event.observed, new Date(NOW_MS));
  assert.equal(event.report.data.desired_replicas, 6);
  runtime.record(event, true, now);
  assert.throws(() => runtime.recordDecision(scaler, event.decision, true, now), gputide.StateError);
  assert.equal(runtime.describe(scaler).data.current_replicas, 6);
  runtime.load(scaler, runtime.save(scaler));
  assert.equal(await runtime.nextEvent({ timeout: 0 }), null);
  assert.equal(runtime.stats().data.decisions, 1);
  assert.ok(runtime.wakeFd() >= 0);
  await runtime.close();
});

test('add, replace, remove and iterate', async () => {
  const runtime = new Runtime();
  const ids = Array.from({ length: 5 }, (_, index) => runtime.add(scaledObject({}, `s${index}`)));
  assert.deepEqual([...runtime.scalers()].sort(), [...ids].sort());
  runtime.replace(ids[0], scaledObject({ maxReplicaCount: 7 }, 's0'), { tag: 5 });
  runtime.remove(ids[1]);
  const gone = [() => runtime.remove(ids[1]), () => runtime.find('default/s1'), () => runtime.observe(ids[1], { current: 1 })];
  for (const use of gone) assert.throws(use, { name: 'NotFoundError', code: 'E_NOT_FOUND' });
  assert.throws(() => runtime.add(scaledObject({}, 's2')), gputide.InvalidError);
  assert.throws(() => runtime.add(scaledObject({}, 's9'), { tga: 1 }), /no option is called tga/);
  assert.throws(() => runtime.add(scaledObject({}, 's9'), { tag: -1 }), RangeError);
  assert.equal(runtime.describe(ids[0]).data.tag, 5);
  assert.throws(() => new Runtime({ gather: -1 }), RangeError);
  await runtime.close();
});

test('a due event asks for an observation and has no decision', async () => {
  const runtime = new Runtime({ observeFirst: true, startSpread: 1 });
  const scaler = runtime.add(scaledObject());
  const event = await first(runtime);
  assert.deepEqual([event.kind, event.due, event.decision, event.wantsWrite, event.desired], ['due', true, null, false, null]);
  assert.throws(() => runtime.record(event, true), TypeError);
  runtime.observe(scaler, { current: 3, samples: [42.5] });
  assert.equal((await first(runtime)).desired, 6);
  await runtime.close();
});

test('pushed numbers, and null that keeps them', async () => {
  const values = { type: 'values', metadata: { threshold: '5' } };
  const runtime = new Runtime({ startSpread: 1 });
  const scaler = runtime.add(
    scaledObject({
      triggers: [
        { ...values, name: 'a' },
        { ...values, name: 'b' },
      ],
    }),
  );
  runtime.push(scaler, [42.5, 1]);
  runtime.push(scaler, [null, 2]);
  runtime.observe(scaler, { current: 3 });
  assert.equal((await first(runtime)).decision.proposed, 9);
  await runtime.close();
});

test('events of three scalers, over one Prometheus', async () => {
  const peer = await prometheus({ load: 42.5 });
  const runtime = new Runtime({ startSpread: 50 });
  for (const name of ['a', 'b', 'c']) {
    runtime.observe(runtime.add(scaledObject({ triggers: [prometheusTrigger(peer.address)] }, name)), { current: 3 });
  }
  const observation = new Map();
  for await (const event of runtime.events()) {
    if (event.wantsWrite) {
      observation.set(event.name, event.desired);
      runtime.record(event, true);
    }
    if (observation.size === 3) break;
  }
  assert.deepEqual([...observation].sort(), [
    ['default/a', 6],
    ['default/b', 6],
    ['default/c', 6],
  ]);
  await runtime.close();
  await peer.close();
});

test('a loop over events ends when the runtime is closed', async () => {
  for (const started of [false, true]) {
    const runtime = new Runtime();
    if (started) runtime.start();
    runtime.observe(runtime.add(scaledObject()), { current: 3, samples: [42.5] });
    const loop = (async () => {
      const names = [];
      for await (const event of runtime.events()) names.push(event.name);
      return names;
    })();
    await sleep(300);
    await Promise.all([runtime.close({ timeout: 5000 }), runtime.close()]);
    await loop;
    assert.throws(() => runtime.stats(), gputide.ClosedError);
  }
});

test("a loop over events ends with its signal's reason", async () => {
  const runtime = new Runtime();
  const reason = new Error('enough');
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 100);
  const loop = async () => {
    for await (const event of runtime.events({ signal: controller.signal })) assert.fail(event.name);
  };
  await assert.rejects(loop, (error) => error === reason);
  await assert.rejects(loop, (error) => error === reason);
  await runtime.close();
});

test('an iterator is asked one by one, and may be returned while it waits', async () => {
  const runtime = new Runtime();
  const events = runtime.events();
  const waiting = [events.next(), events.next()];
  await sleep(50);
  assert.deepEqual(await events.return('done'), { done: true, value: 'done' });
  assert.deepEqual(await Promise.all(waiting), Array(2).fill({ done: true, value: undefined }));
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  await runtime.close();
});

test('a thread of its own is started and stopped', async () => {
  const runtime = new Runtime();
  runtime.start();
  assert.throws(() => runtime.start(), gputide.StateError);
  await runtime.stop({ timeout: 5000 });
  await runtime.stop();
  runtime.start();
  await runtime.close();
});
