// The packages that would be published, as tarballs in a folder: gputide, and @gputide/linux-… with what `npm install` has built here.
//   node scripts/pack.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const out = resolve(process.argv[2] ?? '.');
const libc = process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl';
const platform = `linux-${process.arch}-${libc}`;
const own = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const stage = mkdtempSync(join(tmpdir(), 'gputide-'));
mkdirSync(out, { recursive: true });

function pack(name, manifest, fill) {
  const folder = join(stage, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  copyFileSync(join(here, '../../LICENSE'), join(folder, 'LICENSE'));
  fill(folder);
  const said = execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', out], { cwd: folder, encoding: 'utf8' });
  console.log(join(out, said.trim().split('\n').at(-1)));
}

pack(
  'platform',
  {
    name: `@gputide/${platform}`,
    version: own.version,
    description: `The addon of gputide and libgputide.so.1 for ${platform}`,
    license: own.license,
    os: ['linux'],
    cpu: [process.arch],
    libc: [libc === 'gnu' ? 'glibc' : 'musl'],
    files: ['gputide.node', 'libgputide.so.1'],
  },
  (folder) => {
    for (const file of ['gputide.node', 'libgputide.so.1']) {
      const built = join(here, 'build', file);
      if (!existsSync(built)) throw new Error(`${built} is not there: npm install in ${here} builds it`);
      copyFileSync(built, join(folder, file));
    }
  },
);

// What is published has no install script and builds nothing; it names the platforms' packages by its own version.
const { scripts: _scripts, devDependencies: _tools, ...published } = own;
const optionalDependencies = { [`@gputide/${platform}`]: own.version };
pack('gputide', { ...published, optionalDependencies }, (folder) => {
  cpSync(join(here, 'lib'), join(folder, 'lib'), { recursive: true });
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
});
rmSync(stage, { recursive: true });
