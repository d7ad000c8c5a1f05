// The packages that scripts/pack.mjs made, installed into a bare folder without a registry, and a decision there.
//   node tests/packed.mjs FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  assert.match(said, /^6 .*\/node_modules\/@gputide\/linux-\w+-\w+\/libgputide\.so\.1\n$/);
  process.stdout.write(`${name}: ${said}`);
}
rmSync(bare, { recursive: true });
