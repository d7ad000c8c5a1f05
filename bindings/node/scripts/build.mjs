// Builds libgputide-full.so.1 and the addon by the project's CMake, into bindings/node/build.  npm runs it for `npm install` in this folder
// and for each program that installs the folder, so a build that is there is kept.  --again and the two variables build anew.
// GPUTIDE_SYSTEM_LIBRARY=1: the addon alone, for a machine that has Debian's libgputide-full1; GPUTIDE_LIBRARY=FILE: this library, without
// building one.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

const here = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const root = resolve(here, '../..');
const tree = join(root, 'build', 'node');
const alone = Boolean(process.env.GPUTIDE_SYSTEM_LIBRARY);
const given = process.env.GPUTIDE_LIBRARY;
const out = join(here, 'build');

function run(...command) {
  const { status, error } = spawnSync(command[0], command.slice(1), { stdio: ['ignore', process.stderr, 'inherit'] });
  if (status === 0) return;
  console.error(`gputide: ${error?.message ?? `${command.join(' ')} failed`}. What it needs, on Debian 12:`);
  console.error(
    'apt-get install g++ cmake ninja-build pkg-config libcurl4-openssl-dev libssl-dev libyaml-dev libcctz-dev tzdata zlib1g-dev dpkg-dev',
  );
  process.exit(status ?? 1);
}

if (existsSync(join(out, 'gputide.node')) && !alone && !given && !process.argv.includes('--again')) {
  console.error(`gputide: keeps ${out}; after a change of the sources: node ${join(here, 'scripts', 'build.mjs')} --again`);
  process.exit(0);
}
console.error(`gputide: builds ${out}`);
run('cmake', '-S', root, '-B', tree, '-G', 'Ninja', '-Wno-dev', '-DCMAKE_BUILD_TYPE=Release', '-DGPUTIDE_NODE=ON');
const targets = alone || given ? ['gputide_node'] : ['gputide_full', 'gputide_node'];
run('cmake', '--build', tree, '--parallel', String(availableParallelism()), '--target', ...targets);

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
copyFileSync(join(tree, 'bindings', 'node', 'gputide.node'), join(out, 'gputide.node'));
if (!alone) copyFileSync(given || join(tree, 'libgputide-full.so.1'), join(out, 'libgputide-full.so.1'));
