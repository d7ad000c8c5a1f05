// leak, order, closed, exit: how long handles live.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const v8 = require('node:v8');
const vm = require('node:vm');
const gputide = require('..');
const { NOW_MS, prometheusTrigger, residentKib, runCode, scaledObject, silentPeer, sleep } = require('./support.js');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
process.env.AZURE_CLIENT_ID = '00000000-0000-0000-0000-000000000001';
process.env.AZURE_TENANT_ID = '00000000-0000-0000-0000-000000000002';
process.env.AZURE_FEDERATED_TOKEN_FILE = '/nonexistent/token';

const ROUNDS = Number(process.env.GPUTIDE_LEAK_ROUNDS ?? 1000);
const MOST_KIB = 1024; // a heap's own coming and going
const TRIGGER = 'type: prometheus\nmetadata: {serverAddress: "http://127.0.0.1:9", query: q, threshold: "5"}';

async function state() {
  const policy = new gputide.Policy(scaledObject());
  const made = policy.newState();
  policy.close();
  return made;
}

const OPENERS = {
  policy: () => new gputide.Policy(scaledObject()),
  state,
  source: () => new gputide.Source(TRIGGER),
  scaler: () => new gputide.Scaler(scaledObject()),
  credential: () => new gputide.Credential('provider: azure-workload', { allowEnvironment: true }),
  runtime: () => new gputide.Runtime(),
  series: () => new gputide.Series(),
  replay: () => new gputide.Replay(scaledObject()),
  forecast: () => new gputide.Forecast(),
  rightsize: () => new gputide.Rightsize(),
  log: () => new gputide.LogReader(),
};

/** A number from a seed, the same in every run: mulberry32. */
function chance(seed) {
  let place = seed;
  return () => {
    place = (place + 0x6d2b79f5) | 0;
    let mixed = Math.imul(place ^ (place >>> 15), 1 | place);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns what the process has gained in memory over so many rounds, in KiB; what comes before them does not count. A leak is there every
 * time, a heap that finds its size is not: the least of eight.
 */
async function growth(rounds, work) {
  const all = async (count) => {
    for (let round = 0; round < count; round += 1) await work();
    await sleep(1);
    collect();
    collect();
  };
  await all(Math.max(rounds / 4, 1000)); // until the code is compiled and the heap has its size
  let least = Infinity;
  for (let turn = 0; turn < 8 && least >= MOST_KIB; turn += 1) {
    const before = residentKib();
    await all(rounds);
    least = Math.min(least, residentKib() - before);
  }
  return least;
}

describe('leak', () => {
  for (const [name, open] of Object.entries(OPENERS)) {
    test(`leak: opening and closing a ${name} takes no memory`, async () => {
      const grown = await growth(ROUNDS, async () => (await open()).close());
      assert.ok(grown < MOST_KIB, `${grown} KiB`);
      assert.equal(gputide.alive(), 0);
    });
  }

  test('leak: opening in vain takes no memory', async () => {
    const { Policy, Scaler, Source, Credential, Replay, Forecast, Rightsize } = gputide;
    const kinds = [Policy, Scaler, Source, Credential, Replay, Forecast, Rightsize];
    const grown = await growth(ROUNDS / 4, () => {
      for (const Kind of kinds) assert.throws(() => new Kind('kind: nothing of this kind'), gputide.GputideError);
    });
    assert.ok(grown < MOST_KIB, `${grown} KiB`);
  });
});

test("order: any order of closing is right, also the collector's", async () => {
  const emitted = [];
  const heard = (warning) => emitted.push(warning.name);
  process.on('warning', heard);
  const openers = Object.values(OPENERS);
  for (let seed = 0; seed < ROUNDS / 20; seed += 1) {
    const next = chance(seed);
    const handles = [];
    for (let count = 0; count < 50; count += 1) handles.push(await openers[Math.floor(next() * openers.length)]());
    while (handles.length > 0) {
      const [handle] = handles.splice(Math.floor(next() * handles.length), 1);
      if (next() < 0.8 || seed % 10 !== 0) await handle.close();
    }
  }
  for (let turn = 0; gputide.alive() > 0 && turn < 500; turn += 1) {
    collect();
    await sleep(10);
  }
  process.off('warning', heard);
  assert.equal(gputide.alive(), 0);
  assert.ok(emitted.includes('ResourceWarning'));
});

test('closed: closing twice is fine and use is refused', async () => {
  const uses = {
    policy: (handle) => handle.describe(),
    state: (handle) => handle.decide({ current: 1, samples: [1], now: NOW_MS }),
    source: (handle) => handle.fetch(),
    scaler: (handle) => handle.tick({ current: 1 }),
    credential: (handle) => handle.token('scope'),
    runtime: (handle) => handle.nextEvent(),
    series: (handle) => handle.describe(),
    replay: (handle) => handle.report(),
    forecast: (handle) => handle.save(),
    rightsize: (handle) => handle.recommend(),
    log: (handle) => handle.next(),
  };
  for (const [name, open] of Object.entries(OPENERS)) {
    const handle = await open();
    assert.equal(handle.closed, false);
    await handle.close();
    await handle.close();
    assert.equal(handle.closed, true);
    await assert.rejects(async () => uses[name](handle), {
      name: 'ClosedError',
      code: 'ERR_GPUTIDE_CLOSED',
      message: /is closed/,
    });
  }
});

test('closed: every method of every class is refused', async () => {
  const own = new Set(['constructor', 'close', 'closed', 'scalers', 'events', 'at']);
  for (const [name, open] of Object.entries(OPENERS)) {
    const handle = await open();
    await handle.close();
    const prototype = Object.getPrototypeOf(handle);
    for (const method of Object.getOwnPropertyNames(prototype).filter((key) => !own.has(key) && !key.startsWith('_'))) {
      const use = async () => {
        const { value } = Object.getOwnPropertyDescriptor(prototype, method);
        const [first, second] = argumentsOf(method, handle);
        return value === undefined ? handle[method] : value.call(handle, first, second, true);
      };
      await assert.rejects(use, { name: 'ClosedError' }, `${name}.${method}`);
    }
  }
});

/** Arguments that a method would take, so that being closed is what is wrong with the call. */
function argumentsOf(method, handle) {
  const observation = { current: 1, samples: [1], now: NOW_MS };
  if (/^(tick|decide)$/.test(method)) return [observation];
  if (method === 'observe') return [1, observation];
  if (method === 'push') return [1, [1]];
  if (method === 'record' && handle instanceof gputide.Replay) return [NOW_MS, [1]];
  if (/^record/.test(method)) return [decisionOf(handle), decisionOf(handle)];
  if (method === 'addReplicas') return [[NOW_MS], [1]];
  if (method === 'add' && handle instanceof gputide.Series) return [0, [NOW_MS]];
  if (method === 'fetch' && handle instanceof gputide.Series) return [handle, { from: NOW_MS, to: NOW_MS, step: 1000 }];
  if (method === 'run') return [handle];
  return [];
}

function decisionOf(handle) {
  const policy = new gputide.Policy(scaledObject());
  const made = policy.newState();
  const decision = made.decide({ current: 3, samples: [42.5], now: NOW_MS });
  made.close();
  policy.close();
  return handle instanceof gputide.Runtime
    ? Object.assign(Object.create(gputide.ScalerEvent.prototype), { id: 1, decision })
    : decision;
}

test('closed: closing ends a call that waits, and one that waits for its turn', async () => {
  const peer = await silentPeer();
  const scaler = new gputide.Scaler(scaledObject({ triggers: [prometheusTrigger(peer.address)] }));
  const calls = [scaler.tick({ current: 1 }, { timeout: 30_000 }), scaler.tick({ current: 1 }, { timeout: 30_000 })];
  const outcomes = Promise.allSettled(calls);
  await sleep(100);
  assert.throws(() => scaler.describe(), { name: 'BusyError', code: 'ERR_GPUTIDE_BUSY' });
  const started = Date.now();
  await scaler.close();
  assert.ok(Date.now() - started < 2000);
  for (const { reason } of await outcomes) assert.ok(reason instanceof gputide.CancelledError, String(reason));
  await peer.close();
  assert.equal(gputide.alive(), 0);
});

test('closed: using and await using', async () => {
  const policy = new gputide.Policy(scaledObject());
  policy[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  assert.ok(policy.closed);
  const runtime = new gputide.Runtime();
  await runtime[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]();
  assert.ok(runtime.closed);
});

const BUSY = `
(async () => {
  const peer = await support.silentPeer();
  const manifest = support.scaledObject({ triggers: [support.prometheusTrigger(peer.address)] });
  const scaler = new gputide.Scaler(manifest), runtime = new gputide.Runtime(), other = new gputide.Runtime();
  const policy = new gputide.Policy(support.scaledObject());
  globalThis.kept = [scaler, runtime, other, policy, new gputide.LogReader()];
  runtime.observe(runtime.add(manifest), { current: 3 });
  runtime.start();
  scaler.tick({ current: 1 }, { timeout: 60000 }).catch(() => {});
  (async () => { for await (const event of runtime.events()) console.log(event.name); })();
  other.nextEvent({ timeout: 60000 }).catch(() => {});
  gputide.logTo();
  await support.sleep(300);
  END
})();`;

describe('exit', () => {
  const ways = {
    'process.exit': 'console.log(Date.now()); process.exit(0);',
    'an exception': 'console.log(Date.now()); process.on("uncaughtException", () => process.exit(0)); throw new Error("x");',
  };
  for (const [name, end] of Object.entries(ways)) {
    test(`exit: ${name} is quick and silent whatever is open`, async () => {
      const done = await runCode(BUSY.replace('END', end));
      assert.deepEqual([done.code, done.signal, done.stderr], [0, null, '']);
      assert.ok(done.ended - Number(done.stdout) < 3000);
    });
  }

  test('exit: nothing that waits, and the process ends by itself', async () => {
    const code =
      'const r = new gputide.Runtime(); globalThis.kept = [r, new gputide.LogReader()]; r.start(); gputide.logTo(); console.log(1);';
    const done = await runCode(code);
    assert.deepEqual([done.code, done.signal, done.stdout, done.stderr], [0, null, '1\n', '']);
  });

  test('exit: a Worker ends with everything open, by itself and by terminate', async () => {
    const code = `
const { Worker } = require('node:worker_threads');
const busy = ${JSON.stringify(BUSY.replace('END', 'require("node:worker_threads").parentPort.postMessage("busy");'))};
const head = ${JSON.stringify('const gputide = require(GPUTIDE); const support = require(SUPPORT);')}
  .replace('GPUTIDE', JSON.stringify(${JSON.stringify(require.resolve('..'))})).replace('SUPPORT', JSON.stringify(${JSON.stringify(require.resolve('./support.js'))}));
(async () => {
  const policy = new gputide.Policy(support.scaledObject());
  for (const end of ['terminate', 'exit', 'terminate']) {
    const worker = new Worker(head + busy.replace('"busy"', end === 'exit' ? '"busy"); process.exit(0' : '"busy"'), { eval: true });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    await new Promise((resolve) => worker.once('message', resolve));
    const started = Date.now();
    if (end === 'terminate') await worker.terminate();
    await ended;
    console.log(end, Date.now() - started < 3000, gputide.alive());
  }
  console.log(policy.describe().data.maxReplicaCount);
})();`;
    const done = await runCode(code);
    assert.deepEqual([done.code, done.signal, done.stderr], [0, null, '']);
    assert.equal(done.stdout, 'terminate true 1\nexit true 1\nterminate true 1\n20\n');
  });
});
