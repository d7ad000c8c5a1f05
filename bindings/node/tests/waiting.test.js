// cancel, concurrent: calls that wait, and calls side by side.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS, prometheus, prometheusTrigger, runCode, scaledObject, silentPeer, sleep } = require('./support.js');

const { Policy, Runtime, Scaler, Source } = gputide;

function source(address) {
  return new Source(`type: prometheus\nmetadata: {serverAddress: "${address}", query: load, threshold: "5"}`);
}

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

test('cancel: an AbortSignal ends a fetch within 200 ms, with its reason', async () => {
  const peer = await silentPeer();
  const opened = source(peer.address);
  const controller = new AbortController();
  const fetched = opened.fetch({ timeout: 30_000, signal: controller.signal });
  await sleep(200);
  const reason = new Error('no longer wanted');
  const started = Date.now();
  controller.abort(reason);
  await assert.rejects(fetched, (error) => error === reason);
  assert.ok(Date.now() - started < 200, `${Date.now() - started} ms`);
  await assert.rejects(opened.fetch({ timeout: 30_000, signal: controller.signal }), (error) => error === reason);
  await assert.rejects(opened.fetch({ signal: AbortSignal.timeout(20), timeout: 30_000 }), { name: 'TimeoutError', code: 23 });
  await assert.rejects(opened.fetch({ signal: 'abort' }), { code: 'ERR_INVALID_ARG_TYPE' });
  await opened.close();
  await peer.close();
});

test('cancel: a deadline is a TimeoutError, and the stack has its caller', async () => {
  const peer = await silentPeer();
  const opened = source(peer.address);
  const started = Date.now();
  async function whoAwaits() {
    await opened.fetch({ timeout: 200 });
  }
  await assert.rejects(whoAwaits(), (error) => {
    assert.ok(error instanceof gputide.TimeoutError);
    assert.deepEqual([error.code, error.retryable, error.sample.state], ['E_TIMEOUT', true, 'timeout']);
    assert.match(error.stack, /^TimeoutError: .*\n[^]*at async whoAwaits/);
    return true;
  });
  assert.ok(Date.now() - started < 5000);
  await assert.rejects(opened.fetch({ timeout: -1 }), RangeError);
  await opened.close();
  await peer.close();
});

test('cancel: the loop goes on and files are read while many calls wait', async () => {
  const peer = await silentPeer();
  const sources = Array.from({ length: 80 }, () => source(peer.address)); // more than the pool has threads
  const controller = new AbortController();
  const calls = Promise.allSettled(sources.map((each) => each.fetch({ timeout: 30_000, signal: controller.signal })));
  await sleep(100);
  const started = Date.now();
  await fs.promises.stat(__filename);
  assert.ok(Date.now() - started < 200);
  controller.abort();
  for (const { reason } of await calls) assert.equal(reason.name, 'AbortError');
  assert.ok(Date.now() - started < 5000);
  for (const each of sources) await each.close();
  await peer.close();
});

test('cancel: Ctrl-C ends a program that waits', async () => {
  const code = `(async () => {
    const peer = await support.silentPeer();
    const one = new gputide.Source('type: prometheus\\nmetadata: {serverAddress: "' + peer.address + '", query: q, threshold: "5"}');
    const controller = new AbortController();
    process.once('SIGINT', () => controller.abort());
    setTimeout(() => process.kill(process.pid, 'SIGINT'), 200);
    const started = Date.now();
    await one.fetch({ timeout: 60000, signal: controller.signal }).catch((error) => console.log(error.name, Date.now() - started < 1200));
    await one.close(); await peer.close();
  })()`;
  const done = await runCode(code);
  assert.deepEqual([done.stdout, done.stderr, done.code], ['AbortError true\n', '', 0]);
});

test('calls give what their peers say', async () => {
  const peer = await prometheus({ load: 42.5 });
  const manifest = scaledObject({ triggers: [prometheusTrigger(peer.address)] });
  const opened = source(peer.address);
  const scaler = new Scaler(manifest);
  const [sample, decision] = await Promise.all([opened.fetch(), scaler.tick({ current: 3, now: NOW_MS }, { report: true })]);
  assert.deepEqual([sample.value, sample.state, sample.status, sample.nullAsZero], [42.5, 'ok', 'OK', false]);
  assert.deepEqual(sample.time, new Date(NOW_MS));
  assert.deepEqual([decision.desired, decision.report.data.desired_replicas], [6, 6]);
  const described = scaler.describe().data;
  assert.equal(described.metrics[0].value, 42.5);
  assert.equal(described.conditions[0].type, 'AbleToScale');
  assert.equal(described.policy.minReplicaCount, 1);
  scaler.load(scaler.save());
  scaler.record(decision, false, NOW_MS);
  assert.equal(decision.conditions.AbleToScale.reason, 'FailedUpdateScale');
  const all = await opened.fetchAll();
  assert.equal(all.data.series.length, 1);
  assert.ok(all.text.includes('"job":"load"') && all.text.includes('42.5'), all.text);
  assert.equal(opened.request(NOW_MS).data.method, 'GET');
  assert.equal(opened.describe().data.type, 'prometheus');
  assert.equal(
    opened.parse(200, JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } })).nullAsZero,
    true,
  );
  assert.throws(
    () => opened.parse(429, 'slowly'),
    (error) => error instanceof gputide.ThrottledError && error.sample.status === 'E_THROTTLED',
  );
  const found = await gputide.doctor(manifest, { timeout: 10_000 });
  assert.match(found.lines, /42\.5/);
  assert.equal(typeof found.report.data, 'object');
  await Promise.all([opened.close(), scaler.close(), peer.close()]);
});

test('check: findings do not throw', () => {
  const wrong = gputide.checkManifest('kind: ScaledObject', { textName: 'so.yaml' });
  assert.equal(wrong.ok, false);
  assert.match(wrong.lines, /^so\.yaml:1/);
  assert.ok(wrong.error instanceof gputide.InvalidError && wrong.report.data.report.errors > 0);
  const large = gputide.checkManifest(`${scaledObject()}\n#${'x'.repeat(2 ** 20)}`, { textName: 'so.yaml' });
  assert.ok(large.error instanceof gputide.LimitError && !large.ok);
  assert.match(large.lines, /^so\.yaml/);
  assert.equal(large.report.data.report.errors, 1);
  assert.deepEqual([gputide.checkManifest(scaledObject()).error, gputide.checkManifest(scaledObject()).ok], [null, true]);
});

test('credential: a token is a secret that does not show itself', async () => {
  const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x';
  const program = `${fs.mkdtempSync('/tmp/gputide-')}/az`;
  fs.writeFileSync(program, `#!/bin/sh\necho '{"accessToken":"${token}","expires_on":4102444800}'\n`, { mode: 0o755 });
  const identity = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'List' },
    items: [
      {
        ...{ apiVersion: 'keda.sh/v1alpha1', kind: 'TriggerAuthentication', metadata: { name: 'a' } },
        spec: {
          podIdentity: { provider: 'bearer-exec' },
          configMapTargetRef: [{ parameter: 'command', name: 'c', key: 'command' }],
        },
      },
      { ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }, data: { command: program } },
    ],
  });
  const credential = new gputide.Credential(identity, { allowedPrograms: [program] });
  const given = await credential.token('https://example.com/.default').catch((error) => error);
  if (given instanceof gputide.GputideError) assert.fail(given.message);
  assert.ok(given.value.length > 0 && given.expires instanceof Date);
  assert.doesNotMatch(require('node:util').inspect(given, { showHidden: false }) + String(given) + JSON.stringify(given), /eyJ/);
  credential.invalidate('https://example.com/.default', given);
  await credential.close();
  fs.rmSync(require('node:path').dirname(program), { recursive: true });
});

test('concurrent: eight states of a policy agree with one', async () => {
  const policy = new Policy(scaledObject());
  const work = async () => {
    const state = policy.newState();
    const out = [];
    for (let round = 0; round < 60; round += 1) {
      const now = NOW_MS + round * 15_000;
      out.push(state.decide({ current: 3, samples: [now % 97], now }).desired);
      if (round % 7 === 0) await sleep(0);
    }
    state.close();
    return out;
  };
  const alone = await work();
  for (const result of await Promise.all(Array.from({ length: 8 }, work))) assert.deepEqual(result, alone);
  policy.close();
});

test('concurrent: calls on a scaler take turns in their order', async () => {
  const peer = await prometheus({ load: 42.5 });
  const scaler = new Scaler(scaledObject({ triggers: [prometheusTrigger(peer.address)] }));
  const ended = [];
  const calls = Array.from({ length: 8 }, async (_, index) => {
    const decision = await scaler.tick({ current: 3, now: NOW_MS + index * 15_000 });
    ended.push(index);
    return decision.current;
  });
  assert.deepEqual(await Promise.all(calls), Array(8).fill(3));
  assert.deepEqual(ended, [0, 1, 2, 3, 4, 5, 6, 7]);
  await scaler.close();
  await peer.close();
});

test('concurrent: eight Workers on the library, eight tasks on a runtime', async () => {
  const runtime = new Runtime();
  runtime.start();
  const ids = Array.from({ length: 8 }, (_, index) => runtime.add(scaledObject({}, `demo-${index}`)));
  const until = Date.now() + Number(process.env.GPUTIDE_CONCURRENT_MS ?? 1000);
  const work = async (index) => {
    let done = 0;
    while (Date.now() < until) {
      runtime.observe(ids[index], { current: index + 1, samples: [done % 50] });
      const event = await runtime.nextEvent({ timeout: 10 });
      if (event?.wantsWrite) {
        try {
          runtime.record(event, true);
        } catch (error) {
          if (!(error instanceof gputide.StateError)) throw error; // a later one was recorded by another task
        }
      }
      done += runtime.describe(ids[index]).text.length > 2 ? 1 : 0;
    }
    return done;
  };
  const worker = `const { Policy } = require(${JSON.stringify(require.resolve('..'))});
    const policy = new Policy(${JSON.stringify(scaledObject())}); const state = policy.newState();
    for (let i = 1; i < 3000; i += 1) state.decide({ current: 3, samples: [i % 50], now: ${NOW_MS} + i * 15000 });
    state.close(); policy.close();`;
  const workers = Array.from({ length: 8 }, () => {
    const thread = new (require('node:worker_threads').Worker)(worker, { eval: true });
    return new Promise((resolve, reject) => thread.once('error', reject).once('exit', resolve));
  });
  for (const done of await Promise.all(ids.map((_, index) => work(index)))) assert.ok(done > 0);
  assert.deepEqual(await Promise.all(workers), Array(8).fill(0));
  assert.deepEqual([...runtime.scalers()].sort(), [...ids].sort());
  await runtime.close();
});
