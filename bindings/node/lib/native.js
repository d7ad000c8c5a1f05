// Finds the addon, and with it libgputide-full.so.1: neither before it is needed.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { LibraryError } = require('./errors.js');

const SONAME = 'libgputide-full.so.1';

let addon;
let isOpen = false;

/** Returns the name of a platform's package, without its scope: "linux-x64-gnu". */
function platform() {
  return `${process.platform}-${process.arch}-${isMusl() ? 'musl' : 'gnu'}`;
}

/** Reports whether musl's loader is in this process.  process.report knows it too, but asks DNS for the peer of each connection. */
function isMusl() {
  try {
    return fs.readFileSync('/proc/self/maps', 'utf8').includes('/ld-musl-');
  } catch {
    return false;
  }
}

/** The places of gputide.node; the library that came with it lies beside it. */
function places() {
  const named = process.env.GPUTIDE_NODE_ADDON;
  if (named) return [path.resolve(named)];
  const built = path.join(__dirname, '..', 'build', 'gputide.node');
  try {
    return [require.resolve(`@gputide/${platform()}/gputide.node`), built];
  } catch {
    return [built];
  }
}

function load() {
  if (process.platform !== 'linux') {
    throw new LibraryError(`gputide runs on 64-bit Linux alone; this is ${process.platform} on ${process.arch}`);
  }
  const file = places().find((place) => fs.existsSync(place));
  if (file === undefined) {
    throw new LibraryError(
      `gputide: no addon for ${process.platform} on ${process.arch}. Tried:\n  @gputide/${platform()}   is not installed\n` +
        places()
          .map((place) => `  ${place}   there is no such file\n`)
          .join('') +
        (isMusl()
          ? 'There is no package for musl: use an image with glibc. '
          : 'Install it: npm leaves out optional packages that a lock file of another platform does not have ' +
            '(https://github.com/npm/cli/issues/4828): remove node_modules and package-lock.json, then npm install. ') +
        'In a source tree: npm install in bindings/node.',
    );
  }
  addon = require(file);
  addon.on_error(require('./errors.js').errorOf);
  addon.bundled = path.join(path.dirname(file), SONAME);
  // Whatever waits ends with the process; its threads must not be inside the library when the C library tears it down.
  process.once('exit', addon.shut_down);
}

function open(file) {
  if (addon === undefined) load();
  const problem = addon.open(file, addon.bundled);
  if (problem !== '') throw new LibraryError(problem);
  isOpen = true;
}

/** The addon's functions; opens the library unless it is open. */
function native() {
  if (!isOpen) open('');
  return addon;
}

/** Open this library file and no other. */
function loadLibrary(file) {
  open(path.resolve(file));
}

module.exports = { native, loadLibrary };
