// nul, big, unicode: what crosses as text.  And options, durations, quantities.
'use strict';

const assert = require('node:assert/strict');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS, scaledObject } = require('./support.js');
const { OPTIONS, RUNTIME_OPTIONS, optionsIn, runtimeOptionsIn } = require('../lib/values.js');
const { durationMs } = require('../lib/convert.js');

const { Policy, Scaler, Series, Rightsize, Runtime, Credential } = gputide;
const BEYOND_BMP = '\u{1F680}\u{20000}';

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

test("nul: in a manifest it is the library's to refuse", () => {
  assert.throws(() => new Policy('kind: ScaledObject\nmetadata: {name: \0}'), { code: 'E_INVALID', where: /:2/ });
});

test('nul: in a name, a path or a scope it never reaches C', async () => {
  const text = 'provider: azure-workload\nidentityId: 00000000-0000-0000-0000-000000000001';
  process.env.AZURE_TENANT_ID = '00000000-0000-0000-0000-000000000002';
  process.env.AZURE_FEDERATED_TOKEN_FILE = '/nonexistent/token';
  const credential = new Credential(text, { allowEnvironment: true });
  const runtime = new Runtime();
  const series = new Series();
  const rightsize = new Rightsize();
  const refused = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE', message: /a NUL character/ };
  assert.throws(() => new Policy(scaledObject(), { scaler: 'de\0mo' }), { ...refused, message: /^scaler: a NUL/ });
  assert.throws(() => new Policy(scaledObject(), { caFile: '/etc\0/ca' }), { ...refused, message: /^ca_file: a NUL/ });
  assert.throws(() => new Policy(scaledObject(), { files: [{ text: '', name: 'a\0b' }] }), refused);
  assert.throws(() => runtime.find('a\0b'), refused);
  assert.throws(() => series.read('time,value\n', { scaler: 'a\0b' }), refused);
  assert.throws(() => rightsize.container('a\0b'), refused);
  await assert.rejects(credential.token('https://a\0b'), refused);
  const policy = new Policy(scaledObject());
  const state = policy.newState();
  assert.throws(() => state.decide({ current: 1, samples: [1], pods: [{ name: 'a\0b' }] }), refused);
  assert.throws(() => new Policy(scaledObject(), { allowedPrograms: ['az,sh'] }), /a comma in az,sh/);
  assert.throws(() => new Policy(scaledObject(), { allowedTokenHosts: 'example.com' }), /expected an array/);
  state.close();
  policy.close();
  series.close();
  rightsize.close();
  await Promise.all([runtime.close(), credential.close()]);
});

test('big: a manifest of 10 MiB is beyond the limit', () => {
  assert.throws(
    () => new Policy(`# ${'x'.repeat(10 << 20)}`),
    (error) => {
      assert.match(error.reason, /at most 1048576/);
      return error instanceof gputide.LimitError || error instanceof gputide.InvalidError;
    },
  );
});

test('big: a series of 10 MiB goes through whole', async () => {
  const lines = Array.from({ length: 550_000 }, (_, index) => `${NOW_MS + index * 1000},${index % 100}.25`);
  const text = `time,value\n${lines.join('\n')}\n`;
  assert.ok(text.length > 10 << 20);
  const series = new Series();
  series.read(Buffer.from(text));
  assert.equal(series.describe().data.points, lines.length);
  assert.equal(series.write().split('\n').length, lines.length + 2);
  await series.close();
});

test('unicode: texts beyond the BMP come back the same', () => {
  const trigger = { type: 'values', name: BEYOND_BMP, metadata: { threshold: '5' } };
  const policy = new Policy(scaledObject({ triggers: [trigger] }));
  const state = policy.newState();
  assert.deepEqual(policy.metrics, [BEYOND_BMP]);
  assert.match(policy.describe().text, new RegExp(BEYOND_BMP, 'u'));
  assert.ok(
    state
      .decide({ current: 3, samples: [42.5], now: NOW_MS }, { report: true })
      .explain()
      .includes(BEYOND_BMP),
  );
  state.close();
  policy.close();
});

test('unicode: a text that was cut decodes', () => {
  const manifest = scaledObject({ triggers: [{ type: BEYOND_BMP.repeat(2000), metadata: {} }] });
  assert.throws(
    () => new Policy(manifest),
    (error) => !error.message.includes('\ufffd'),
  );
});

test('unicode: a lone surrogate is refused, U+FFFD itself is not', () => {
  const refused = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE', message: /a lone surrogate/ };
  for (const lone of ['\ud800', '\udc00', 'a\ud83d', `${BEYOND_BMP}\udc00`]) {
    assert.throws(() => new Policy(lone), refused);
    assert.throws(() => new Policy(scaledObject(), { scaler: lone }), refused);
  }
  const policy = new Policy(scaledObject({ triggers: [{ type: 'values', name: '\ufffd', metadata: { threshold: '5' } }] }));
  assert.deepEqual(policy.metrics, ['\ufffd']);
  policy.close();
});

test('bytes are taken as they are, other things are refused', () => {
  assert.ok(gputide.checkManifest(Buffer.from(scaledObject())).ok);
  assert.throws(() => new Scaler(Buffer.from([0xff, 0xfe])), gputide.InvalidError);
  for (const wrong of [7, {}, new Float64Array(1)]) {
    assert.throws(() => new Policy(wrong), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
  }
});

test('every option of gputide_options and gputide_runtime_options has its name and reaches its member', () => {
  const { structs, flags } = require('../lib/abi.js');
  const given = (known) => Object.fromEntries([...known].map(([name, place]) => [name, place.bit ? true : name]));
  const lists = { allowedEnvironment: ['a', 'B_*'], allowedTokenHosts: ['b'], allowedPrograms: ['c'], files: [{ text: 'd' }] };
  const out = optionsIn({ ...given(OPTIONS), ...lists });
  assert.equal(
    out.flags,
    Object.values(flags.option).reduce((bits, bit) => bits | bit, 0),
  );
  assert.deepEqual([out.allowed_environment, out.allowed_programs, out.files], ['a,B_*', 'c', lists.files]);
  const covered = new Set([...Object.keys(out), 'size', 'struct_size', 'file_count', 'file_size', 'ca_pem_bytes']);
  assert.deepEqual(new Set(Object.keys(structs.options)), covered);
  const numbers = Object.fromEntries([...RUNTIME_OPTIONS].map(([name, place]) => [name, place.bit ? true : 7]));
  const filled = runtimeOptionsIn(numbers);
  assert.equal(filled.flags, 15);
  assert.deepEqual(
    new Set(Object.keys(structs.runtime_options)),
    new Set([...Object.keys(filled), 'size', 'struct_size', 'reserved']),
  );
  assert.throws(() => optionsIn({ alowEnvironment: true }), /no option is called alowEnvironment: allowEnvironment/);
  assert.throws(() => optionsIn({ strict: 1 }), /strict: expected a boolean/);
  assert.equal(optionsIn(undefined), null);
});

test('durations are rounded up and clamped', () => {
  const cases = [
    [0, 0],
    [0.1, 1],
    [1, 1],
    [5000, 5000],
    [1e12, 2 ** 31 - 1],
    [Infinity, 2 ** 31 - 1],
  ];
  for (const [given, ms] of cases) assert.equal(durationMs(given), ms);
  for (const wrong of [-1, NaN]) assert.throws(() => durationMs(wrong), RangeError);
  assert.throws(() => durationMs('5s'), TypeError);
});

test('quantities and claims', () => {
  assert.deepEqual(['1500m', '2Ki', '0.1', '9223372036854775807m'].map(gputide.quantity), [1500, 2_048_000, 100, 2n ** 63n - 1n]);
  assert.throws(() => gputide.tokenClaims('no token'), gputide.ProtocolError);
  assert.equal(gputide.tokenClaims('eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x').data.sub, 'me');
});
