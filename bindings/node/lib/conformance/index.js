// Protocol 1 of docs/conformance.md over this package's public functions: one line in, one line out, until the input ends.
// `node index.js` is the program that `gputide_conformance --through` drives.
'use strict';

const readline = require('node:readline');
const gputide = require('../index.js');
const { CALLS } = require('./calls.js');
const { answer } = require('./case.js');

function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function main() {
  process.removeAllListeners('warning'); // "close":"collect" forgets handles on purpose
  say({
    door: 1,
    binding: 'node',
    version: gputide.version,
    abi: gputide.ABI_VERSION,
    library: gputide.libraryPath(),
    calls: Object.keys(CALLS).sort(),
  });
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    say(await answer(JSON.parse(line)));
  }
}

main();
