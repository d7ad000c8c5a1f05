// The packages that would be published, as tarballs in a folder: gputide, and @gputide/linux-… with what `npm install` has built here.
// gputide is the same wherever it is packed: it names the packages of all platforms, and each machine packs its own.
//   node scripts/pack.mjs FOLDER
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const out = resolve(process.argv[2] ?? '.');
const libc = process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl';
const platform = `linux-${process.arch}-${libc}`;
const PLATFORMS = ['linux-x64-gnu', 'linux-arm64-gnu', 'linux-x64-musl', 'linux-arm64-musl'];
if (!PLATFORMS.includes(platform)) {
  throw new Error(`${platform} is not among the platforms that gputide names: ${PLATFORMS.join(', ')}`);
}
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
    description: `The addon of gputide and libgputide-full.so.1 for ${platform}`,
    license: own.license,
    author: own.author,
    homepage: own.homepage,
    repository: own.repository,
    os: ['linux'],
    cpu: [process.arch],
    libc: [libc === 'gnu' ? 'glibc' : 'musl'],
    files: ['gputide.node', 'libgputide-full.so.1', 'THIRD_PARTY_NOTICES', 'sbom.cdx.json'],
  },
  (folder) => {
    const built = (file) => join(here, 'build', file);
    for (const file of ['gputide.node', 'libgputide-full.so.1']) {
      if (!existsSync(built(file))) throw new Error(`${built(file)} is not there: npm install in ${here} builds it`);
    }
    execFileSync(join(here, '../../cmake/package/carry.sh'), [built('libgputide-full.so.1'), folder], { stdio: 'inherit' });
    const addon = join(folder, 'gputide.node');
    copyFileSync(built('gputide.node'), addon);
    chmodSync(addon, 0o755);
    execFileSync('strip', ['--strip-unneeded', addon]);
  },
);

// The published package has no install script and builds nothing; it names the platforms' packages by its own version.
const { scripts: _scripts, devDependencies: _tools, ...published } = own;
const optionalDependencies = Object.fromEntries(PLATFORMS.map((name) => [`@gputide/${name}`, own.version]));
pack('gputide', { ...published, optionalDependencies }, (folder) => {
  cpSync(join(here, 'lib'), join(folder, 'lib'), { recursive: true });
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
});
rmSync(stage, { recursive: true });
