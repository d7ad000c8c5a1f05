// The packages that would be published, as tarballs in a folder: gputide, and @gputide/linux-… with what `npm install` has built here.
// gputide is the same wherever it is packed: it names the packages of all platforms.
//   node scripts/pack.mjs FOLDER
//   node scripts/pack.mjs FOLDER BUILD CPU     gputide.node and libgputide-full.so.1 of the folder BUILD, built for this CPU: x64, arm64
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const out = resolve(process.argv[2] ?? '.');
const built = resolve(process.argv[3] ?? join(here, 'build'));
const cpu = process.argv[4] ?? process.arch;
const libc = process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl';
const platform = `linux-${cpu}-${libc}`;
const PLATFORMS = ['linux-x64-gnu', 'linux-arm64-gnu'];
if (!PLATFORMS.includes(platform)) {
  throw new Error(`${platform} is not among the platforms that gputide names: ${PLATFORMS.join(', ')}`);
}
const own = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const stage = mkdtempSync(join(tmpdir(), 'gputide-'));
mkdirSync(out, { recursive: true });

const carry = (...given) => execFileSync(join(here, '../../cmake/package/carry.sh'), given, { stdio: 'inherit' });
const CARRIED = ['THIRD_PARTY_NOTICES', 'sbom.cdx.json'];

function pack(name, manifest, fill) {
  const folder = join(stage, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
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
    cpu: [cpu],
    libc: ['glibc'],
    files: ['gputide.node', 'libgputide-full.so.1', ...CARRIED],
  },
  (folder) => {
    const [addon, library] = ['gputide.node', 'libgputide-full.so.1'].map((file) => join(built, file));
    for (const file of [addon, library]) {
      if (!existsSync(file)) throw new Error(`${file} is not there: npm install in ${here} builds it`);
    }
    carry(library, folder, addon);
  },
);

// The published package has no install script and builds nothing; it names the platforms' packages by its own version.
const { scripts: _scripts, devDependencies: _tools, prettier: _style, typedocOptions: _pages, ...published } = own;
const optionalDependencies = Object.fromEntries(PLATFORMS.map((name) => [`@gputide/${name}`, own.version]));
pack('gputide', { ...published, files: [...published.files, ...CARRIED], optionalDependencies }, (folder) => {
  carry('--sources', folder);
  cpSync(join(here, 'lib'), join(folder, 'lib'), { recursive: true });
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
});
rmSync(stage, { recursive: true });
