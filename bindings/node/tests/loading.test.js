// wrong_abi, missing: which library is opened, and what is said where none can be.  And the mirrors, beside bindings/abi.json.
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const gputide = require('..');
const { PACKAGE, run, runCode, scaledObject } = require('./support.js');

const ROOT = path.resolve(PACKAGE, '../..');
const ABI = JSON.parse(fs.readFileSync(path.join(PACKAGE, '../abi.json'), 'utf8'));
const ADDON = process.env.GPUTIDE_NODE_ADDON ?? path.join(PACKAGE, 'build', 'gputide.node');
const OPENS = 'console.log(gputide.libraryVersion())';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gputide-'));
after(() => fs.rmSync(folder, { recursive: true }));

/** A library that says of itself what the defines say. */
function stub(name, defines) {
  const file = path.join(folder, name);
  const flags = Object.entries(defines).map(([key, value]) => `-D${key}=${value}`);
  execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', ...flags, '-o', file, path.join(ROOT, 'tests/bindings/stub.c')]);
  return file;
}

test('wrong_abi: wrong libraries are named with what is wrong and the remedy', async () => {
  const wrong = {
    'ABI 99: a newer release': { ABI: 99, RELEASE: 99_000_000 },
    'ABI 0: an older release': { ABI: 0, RELEASE: 1_000 },
    'release 0.1.7: too old': { ABI: 1, RELEASE: 1_007 },
    'release 0.3.0 is incomplete': { ABI: 1, RELEASE: 3_000 },
  };
  for (const [index, [words, defines]] of Object.entries(wrong).entries()) {
    const file = stub(`libgputide-${index}.so`, defines);
    const done = await runCode(OPENS, { env: { GPUTIDE_LIBRARY: file } });
    assert.notEqual(done.code, 0);
    assert.match(done.stderr, /no usable libgputide-full\.so\.1 for ABI 1, release 0\.3\.0 or newer\. Tried:/);
    assert.ok(done.stderr.includes(`GPUTIDE_LIBRARY=${file}   ${words}`), done.stderr);
    assert.match(done.stderr, /Install Debian's libgputide-full1, or set GPUTIDE_LIBRARY/);
  }
});

test('wrong_abi: another C library is not libgputide', async () => {
  const done = await runCode(OPENS, { env: { GPUTIDE_LIBRARY: ADDON } });
  assert.match(done.stderr, /not a libgputide: it has no gputide_abi_version/);
});

/** The package as it is installed, somewhere else: with the addon or without. */
function installed(name, withAddon) {
  const at = path.join(folder, name);
  fs.cpSync(path.join(PACKAGE, 'lib'), path.join(at, 'lib'), { recursive: true });
  fs.copyFileSync(path.join(PACKAGE, 'package.json'), path.join(at, 'package.json'));
  fs.mkdirSync(path.join(at, 'build'));
  if (withAddon) fs.copyFileSync(ADDON, path.join(at, 'build', 'gputide.node'));
  return at;
}

const USES = (at) => `const g = require(${JSON.stringify(at)}); console.log('imported', g.Limit.MIN); new g.Policy('x');`;
const NOTHING = { GPUTIDE_LIBRARY: '', GPUTIDE_NODE_ADDON: '' };

test('missing: each place is listed and importing works', async () => {
  const at = installed('bare', true);
  const done = await run(['-e', USES(at)], { env: NOTHING });
  assert.equal(done.stdout, 'imported 5\n');
  assert.ok(done.stderr.includes(`${at}/build/libgputide-full.so.1   there is no such file`), done.stderr);
  assert.match(done.stderr, /libgputide-full\.so\.1 \(the system's search\) {3}libgputide-full\.so\.1: cannot open/);
  assert.match(done.stderr, /LibraryError/);
});

test('missing: without the addon the message says so, with the remedy', async () => {
  const at = installed('none', false);
  const done = await run(['-e', USES(at)], { env: NOTHING });
  assert.equal(done.stdout, 'imported 5\n');
  assert.match(done.stderr, /no addon for linux on \w+\. Tried:\n {2}@gputide\/linux-\w+-\w+ {3}is not installed/);
  assert.ok(
    done.stderr.includes(`${at}/build/gputide.node   there is no such file`) && done.stderr.includes('npm/cli/issues/4828'),
  );
});

const CONNECTED = (at) => `
process.report.getReport = () => { console.log('a report asks DNS for the peer of each connection'); process.exit(1); };
const net = require('node:net');
const server = net.createServer().listen(0, '127.0.0.1', () => {
  const socket = net.connect(server.address().port, '127.0.0.1', () => {
    const { Policy } = require(${JSON.stringify(at)});
    new Policy(${JSON.stringify(scaledObject())}).close();
    console.log('opened');
    socket.destroy();
    server.close();
  });
});`;

test('the first use of the package writes no report of the process', async () => {
  const at = installed('connected', true);
  const done = await run(['-e', CONNECTED(at)], { env: { GPUTIDE_NODE_ADDON: '' } });
  assert.deepEqual([done.stdout, done.stderr, done.code], ['opened\n', '', 0]);
});

test('missing: the package of the platform is named by the loader of the process', async () => {
  const at = installed('loader', false);
  for (const [loader, libc] of [
    ['/lib/ld-musl-x86_64.so.1', 'musl'],
    ['/lib64/ld-linux-x86-64.so.2', 'gnu'],
  ]) {
    const maps = `const fs = require('node:fs'), { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) => file === '/proc/self/maps' ? '7f00-7f01 r-xp 0 08:01 1 ${loader}\\n' : readFileSync(file, ...rest);`;
    const done = await run(['-e', maps + USES(at)], { env: NOTHING });
    assert.ok(done.stderr.includes(`@gputide/linux-${process.arch}-${libc}   is not installed`), done.stderr);
    assert.equal(done.stderr.includes('There is no package for musl: use an image with glibc.'), libc === 'musl');
  }
});

test('missing: a path that was given is final', async () => {
  const ways = [
    [OPENS, { GPUTIDE_LIBRARY: '/nonexistent/libgputide-full.so.1' }],
    ['gputide.loadLibrary("/nonexistent/libgputide-full.so.1")', {}],
  ];
  for (const [code, env] of ways) {
    const done = await runCode(code, { env });
    assert.match(done.stderr, /\/nonexistent\/libgputide-full\.so\.1 {3}there is no such file/);
    assert.doesNotMatch(done.stderr, /the system's search/);
  }
});

test('loadLibrary takes the file that is open already and no other', async () => {
  const other = path.join(folder, 'other.so');
  fs.writeFileSync(other, '');
  const code = `gputide.loadLibrary(gputide.libraryPath());
    try { gputide.loadLibrary(${JSON.stringify(other)}); } catch (error) { console.log(error.code, /is open already/.test(error.message)); }`;
  assert.equal((await runCode(code)).stdout, 'ERR_GPUTIDE_LIBRARY true\n');
});

test('the version is one, and import gives what require gives', async () => {
  assert.equal(gputide.version, require('../package.json').version);
  assert.equal(gputide.libraryVersion(), gputide.version);
  assert.equal(gputide.version, ABI.version);
  assert.equal(gputide.ABI_VERSION, ABI.abi);
  assert.ok(gputide.features().has('yaml'));
  assert.equal(typeof gputide.buildInfo().data.compiler, 'string');
  const imported = await import('../lib/index.mjs');
  assert.deepEqual(new Set(Object.keys(imported)), new Set([...Object.keys(gputide), 'default']));
  for (const [name, value] of Object.entries(gputide)) assert.equal(imported[name], value);
});

test('each mirror lies as abi.json says', () => {
  const { structs } = require('../lib/abi.js');
  for (const struct of ABI.structs) {
    if (struct.members.some((member) => 'callback' in member)) continue; // no callback enters JavaScript
    const { size, ...offsets } = structs[struct.name.replace('gputide_', '')];
    assert.equal(size, struct.size_bytes, struct.name);
    assert.deepEqual(
      offsets,
      Object.fromEntries(struct.members.map((member) => [member.name, member.offset_bytes])),
      struct.name,
    );
  }
});

test('every number is there, and every word of the library has its place', () => {
  const { flags } = require('../lib/abi.js');
  const { word, numberOf } = require('../lib/words.js');
  const types = fs.readFileSync(path.join(PACKAGE, 'lib/index.d.ts'), 'utf8');
  const camel = (name) => name.replace(/(^|_)(\w)/g, (_, __, letter) => letter.toUpperCase());
  for (const enumeration of ABI.enums) {
    const here = gputide[camel(enumeration.name)];
    assert.equal(here === undefined, enumeration.flags, enumeration.name);
    for (const { name, short, value } of enumeration.members) {
      const found = here?.[short] ?? Object.assign({}, ...Object.values(flags))[name.replace('GPUTIDE_', '')];
      assert.equal(found, value, name);
      if (enumeration.spelled_by === undefined) continue;
      const spelled = word(enumeration.spelled_by.replace('gputide_', ''), value);
      if (spelled !== '') assert.ok(types.includes(`'${spelled}'`), `index.d.ts has no '${spelled}' of ${enumeration.name}`);
      if (enumeration.name === 'sample_state') assert.equal(numberOf('SampleState', spelled, 'state'), value);
    }
  }
  assert.equal(word('limit_name', 99), 99);
});

test('index.d.ts has every name that the package has, and every method of its classes', () => {
  const types = fs.readFileSync(path.join(PACKAGE, 'lib/index.d.ts'), 'utf8');
  const numbers = fs.readFileSync(path.join(PACKAGE, 'lib/numbers.d.ts'), 'utf8');
  const declared = [
    ...`${types}\n${numbers}`.matchAll(/^export (?:declare )?(?:abstract )?(?:class|function|const) (\w+)/gm),
  ].map((entry) => entry[1]);
  assert.deepEqual(new Set(declared), new Set(Object.keys(gputide)));
  for (const [name, value] of Object.entries(gputide)) {
    if (!String(value).startsWith('class') || name.endsWith('Error')) continue;
    const body = new RegExp(`^export declare class ${name} [^{]*\\{([^]*?)^\\}`, 'm').exec(types)[1];
    for (const method of Object.getOwnPropertyNames(value.prototype)) {
      if (method === 'constructor' || method.startsWith('_')) continue;
      assert.match(body, new RegExp(`\\b${method}\\b`), `${name}.${method}`);
    }
  }
});
