// short, and the other examples: the README's programs are these files.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { PACKAGE, prometheus, prometheusTrigger, run, scaledObject } = require('./support.js');

const example = (name) => path.join(PACKAGE, 'examples', name);

test('short: the first program has at most 15 lines, and 3 replicas become 6', async () => {
  const lines = fs.readFileSync(example('first.mjs'), 'utf8').trimEnd().split('\n');
  assert.ok(lines.length <= 15, `${lines.length} lines`);
  const peer = await prometheus({ load: 42.5 });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gputide-'));
  const manifest = path.join(folder, 'so.yaml');
  fs.writeFileSync(manifest, scaledObject({ triggers: [prometheusTrigger(peer.address)] }));
  const done = await run([example('first.mjs'), manifest, '3']);
  assert.deepEqual([done.stdout, done.stderr, done.code], ['3 -> 6 scale_up_limit\n', '', 0]);
  fs.rmSync(folder, { recursive: true });
  await peer.close();
});

test('short: what the README shows is in the examples', () => {
  const readme = fs.readFileSync(path.join(PACKAGE, 'README.md'), 'utf8');
  const files = fs.readdirSync(path.join(PACKAGE, 'examples')).map((name) => fs.readFileSync(example(name), 'utf8'));
  const known = new Set(files.flatMap((text) => text.split('\n').map((line) => line.trim())));
  const shown = [...readme.matchAll(/```js\n([^]*?)```/g)].flatMap((block) => block[1].split('\n').map((line) => line.trim()));
  assert.ok(shown.length > 10);
  for (const line of shown) assert.ok(line === '' || known.has(line), line);
});

test('numbers alone', async () => {
  const done = await run([example('numbers-alone.mjs')]);
  assert.equal(done.code, 0, done.stderr);
  const [first, second] = done.stdout.split('\n');
  assert.equal(first, '3 -> 6, proposed 9, limited by scale_up_limit');
  assert.equal(second, '6 -> 9, proposed 9, limited by none');
  assert.match(done.stdout, /held by recent recommendations/);
});

test('a forecast that scales ahead', async () => {
  const done = await run([example('forecast.mjs')]);
  assert.deepEqual([done.stderr, done.code], ['', 0]);
  const [first] = done.stdout.split('\n');
  assert.equal(first, '11-21T00:00 serve: 4 -> 20');
  const sizes = [...done.stdout.matchAll(/11-22T\S+:5\d serve: 4 -> (\d+)/g)];
  assert.ok(sizes.length > 0, 'nothing was scaled before the hour');
  assert.match(done.stdout, /^\d+ % better/m);
});

test('a fleet with events as an async iterator', async () => {
  const length = (model) => `queue_length{model="${model}"}`;
  const peer = await prometheus({ [length('chat')]: 17, [length('embed')]: 3, [length('rerank')]: 9 });
  const done = await run([example('fleet.mjs'), peer.address, '4']);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^default\/chat now has 4 replicas$/m);
  assert.match(done.stdout, /^default\/chat now has 5 replicas$/m);
  assert.match(done.stdout, /^default\/rerank now has 3 replicas$/m);
  assert.doesNotMatch(done.stdout, /embed/);
  assert.match(done.stdout, /^\d+ polls$/m);
  await peer.close();
});

test('the real use: an HTTP endpoint that shows decisions live', async () => {
  const done = await run([example('live.mjs'), '--seconds', '12']);
  assert.deepEqual([done.code, done.stderr], [0, ''], done.stdout);
  const sizes = [...done.stdout.matchAll(/^(\d+) -> (\d+)/gm)].map((line) => Number(line[2]));
  assert.ok(Math.max(...sizes) >= 3, done.stdout);
  assert.ok(sizes.at(-1) < Math.max(...sizes), done.stdout);
  assert.match(done.stdout, /^heard \d+ decisions over HTTP, the last one of \d+ replicas$/m);
});
