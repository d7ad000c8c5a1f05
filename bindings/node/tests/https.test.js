// One https fetch with a CA file of its own, inside this program, and which OpenSSL it used.
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const https = require('node:https');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { prometheus, runCode } = require('./support.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gputide-'));
const certificate = path.join(folder, 'ca.pem');
let peer;

before(async () => {
  const key = path.join(folder, 'key.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const command = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    ...subject,
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  execFileSync('openssl', command, { stdio: 'pipe' });
  const pair = { key: fs.readFileSync(key), cert: fs.readFileSync(certificate) };
  peer = await prometheus({ load: 42.5 }, { make: (answer) => https.createServer(pair, answer), scheme: 'https' });
});

after(async () => {
  await peer.close();
  fs.rmSync(folder, { recursive: true });
});

function fetched(caFile, env) {
  const code = `(async () => {
    const text = 'type: prometheus\\nmetadata: {serverAddress: "${peer.address}", query: load, threshold: "5"}';
    const source = new gputide.Source(text, { caFile: ${JSON.stringify(caFile)} });
    require('node:tls').createSecureContext(); // Node's own OpenSSL is in use beside it
    console.log((await source.fetch({ timeout: 20000 }).catch((error) => error)).value ?? 'refused');
    await source.close();
  })()`;
  return runCode(code, { env });
}

test('https: a CA file is trusted and nothing else', async () => {
  const done = await fetched(certificate);
  assert.deepEqual([done.stdout, done.stderr, done.code], ['42.5\n', '', 0]);
  assert.equal((await fetched('/etc/ssl/certs/ca-certificates.crt')).stdout, 'refused\n');
});

test("https: no symbol of libcurl or OpenSSL is the program's", async () => {
  const log = path.join(folder, 'bindings');
  const done = await fetched(certificate, { LD_DEBUG: 'bindings', LD_DEBUG_OUTPUT: log });
  assert.equal(done.stdout, '42.5\n');
  const files = fs.readdirSync(folder).filter((name) => name.startsWith('bindings.'));
  const lines = files
    .map((name) => fs.readFileSync(path.join(folder, name), 'latin1'))
    .join('')
    .split('\n');
  const ours = lines.filter((line) => /binding file \S*\/lib(curl|ssl|crypto|gputide)\S* \[\d+\] to /.test(line));
  const bound = ours.filter((line) => /symbol `(SSL|EVP|X509|BIO|curl|nghttp2)_/.test(line));
  assert.ok(bound.length > 20, `${bound.length} bindings were observation`); // else the log says nothing
  const program = fs.realpathSync(process.execPath);
  const foreign = bound.filter((line) => [program, process.execPath, 'node'].includes(/ to (\S+) \[/.exec(line)[1]));
  assert.deepEqual(foreign.slice(0, 5), []);
});
