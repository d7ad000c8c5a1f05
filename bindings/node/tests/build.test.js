// scripts/build.mjs, which npm runs also when a program installs this folder: what it builds and what it keeps.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const { PACKAGE, run } = require('./support.js');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'gputide-'));
after(() => fs.rmSync(root, { recursive: true }));

/** A cmake that records its arguments and builds two files. */
const CMAKE = `#!/bin/sh
echo "$*" >> "${root}/calls"
[ "$1" = --build ] || exit 0
mkdir -p "$2/bindings/node"
echo addon $$ > "$2/bindings/node/gputide.node"
echo library > "$2/libgputide-full.so.1"
`;

/** Runs the script as npm does; returns how often cmake built, and what the script said. */
async function build(args = [], env = {}) {
  fs.writeFileSync(path.join(root, 'calls'), '');
  const PATH = `${path.join(root, 'bin')}:${process.env.PATH}`;
  const given = { GPUTIDE_LIBRARY: '', GPUTIDE_SYSTEM_LIBRARY: '', ...env, PATH };
  const done = await run([path.join(root, 'bindings/node/scripts/build.mjs'), ...args], { env: given });
  assert.equal(done.code, 0, done.stderr);
  const calls = fs.readFileSync(path.join(root, 'calls'), 'utf8').split('\n');
  return { built: calls.filter((line) => line.startsWith('--build')).length, said: done.stderr };
}

test('build: what is there is kept unless it is asked for', async () => {
  fs.mkdirSync(path.join(root, 'bin'));
  fs.writeFileSync(path.join(root, 'bin/cmake'), CMAKE, { mode: 0o755 });
  fs.cpSync(path.join(PACKAGE, 'scripts'), path.join(root, 'bindings/node/scripts'), { recursive: true });
  const out = path.join(root, 'bindings/node/build');
  const files = () => fs.readdirSync(out).map((name) => `${name}: ${fs.readFileSync(path.join(out, name), 'utf8')}`);

  const first = await build();
  assert.equal(first.built, 1);
  assert.ok(first.said.includes(`gputide: builds ${out}`), first.said);
  assert.equal(files().length, 2);

  const before = files();
  const kept = await build();
  assert.equal(kept.built, 0);
  assert.ok(kept.said.includes(`gputide: keeps ${out}`) && kept.said.includes('--again'), kept.said);
  assert.deepEqual(files(), before);

  assert.equal((await build(['--again'])).built, 1);
  assert.notDeepEqual(files(), before);
  const library = path.join(root, 'other.so');
  fs.writeFileSync(library, 'other');
  assert.equal((await build([], { GPUTIDE_LIBRARY: library })).built, 1);
  assert.equal(files()[1], 'libgputide-full.so.1: other');
  assert.equal((await build()).built, 0);
  assert.equal(files()[1], 'libgputide-full.so.1: other');
  assert.equal((await build([], { GPUTIDE_SYSTEM_LIBRARY: '1' })).built, 1);
  assert.equal(files().length, 1);
});
