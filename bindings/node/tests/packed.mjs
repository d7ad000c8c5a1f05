// The packages that scripts/pack.mjs made, installed into a bare folder without a registry: what is in them, and a decision there.
//   node tests/packed.mjs FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
assert.equal(tarballs.length, 2, String(tarballs));
const bare = mkdtempSync(join(tmpdir(), 'gputide-'));
writeFileSync(join(bare, 'package.json'), '{"name":"bare","private":true}');
const files = tarballs.map((name) => join(folder, name));
execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', ...files], {
  cwd: bare,
  stdio: 'inherit',
});

const modules = join(bare, 'node_modules');
const [platform] = readdirSync(join(modules, '@gputide'));
const described = JSON.parse(readFileSync(join(modules, 'gputide/package.json'), 'utf8'));
const named = Object.keys(described.optionalDependencies);
assert.ok(named.length === 2 && named.includes(`@gputide/${platform}`), `${named}: each platform, whichever packed it`);
assert.equal(described.os, undefined, 'it installs and imports on every platform');
assert.ok(described.repository.url && described.author && described.homepage);
for (const file of ['gputide/LICENSE', `@gputide/${platform}/LICENSE`]) {
  assert.match(readFileSync(join(modules, file), 'utf8'), /Apache License/);
}
const bom = JSON.parse(readFileSync(join(modules, '@gputide', platform, 'sbom.cdx.json'), 'utf8'));
const notices = readFileSync(join(modules, '@gputide', platform, 'THIRD_PARTY_NOTICES'), 'utf8');
for (const { name, version } of bom.components) assert.ok(notices.includes(`\n${name} ${version}\n`), `${name} has no notice`);
for (const file of ['libgputide-full.so.1', 'gputide.node']) {
  const sections = execFileSync('readelf', ['--wide', '--sections', join(modules, '@gputide', platform, file)], {
    encoding: 'utf8',
  });
  assert.doesNotMatch(sections, /\.symtab|\.debug_info/, `${file} is not stripped`);
}

const manifest = JSON.stringify({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name: 'demo' },
  spec: { scaleTargetRef: { name: 'demo' }, triggers: [{ type: 'values', metadata: { threshold: '5' } }] },
});
const code = (head) => `${head}
  const state = new gputide.Policy(${JSON.stringify(manifest)}).newState();
  console.log(state.decide({ current: 3, samples: [42.5], now: 1795255200000 }).desired, gputide.libraryPath());
  process.exit(0);`;
const env = { ...process.env, GPUTIDE_LIBRARY: '', GPUTIDE_NODE_ADDON: '' };
for (const [name, head] of [
  ['require.cjs', "const gputide = require('gputide');"],
  ['import.mjs', "import * as gputide from 'gputide';"],
]) {
  writeFileSync(join(bare, name), code(head));
  const said = execFileSync(process.execPath, [name], { cwd: bare, env, encoding: 'utf8' });
  assert.match(said, /^6 .*\/node_modules\/@gputide\/linux-\w+-\w+\/libgputide-full\.so\.1\n$/);
  process.stdout.write(`${name}: ${said}`);
}

// Imports also without a library, and says why.
const elsewhere = `Object.defineProperty(process, 'platform', { value: 'darwin' });
  const gputide = require('gputide');
  try { new gputide.Policy('{}'); } catch (problem) { console.log(problem instanceof gputide.LibraryError, problem.message); }`;
const told = execFileSync(process.execPath, ['-e', elsewhere], { cwd: bare, env, encoding: 'utf8' });
assert.match(told, /^true gputide runs on 64-bit Linux alone; this is darwin/);
rmSync(bare, { recursive: true });
