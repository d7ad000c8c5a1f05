// Helpers of the tests: a policy, servers, programs of their own.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');

const PACKAGE = path.resolve(__dirname, '..');
const NOW_MS = 1_795_255_200_000;

/** The policy of examples/c/numbers.c; spec replaces members of its spec. */
function scaledObject(spec = {}, name = 'demo') {
  const trigger = { type: 'values', metadata: { threshold: '5', activationThreshold: '2' } };
  const whole = { scaleTargetRef: { name }, minReplicaCount: 1, maxReplicaCount: 20, triggers: [trigger], ...spec };
  return JSON.stringify({ apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata: { name }, spec: whole });
}

function prometheusTrigger(serverAddress, query = 'load', threshold = '5') {
  return { type: 'prometheus', metadata: { serverAddress, query, threshold } };
}

function listening(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}

/** The answer of /api/v1/query to one value, or to none. */
function answer(query, value) {
  const result = value === undefined ? [] : [{ metric: { job: query }, value: [NOW_MS / 1000, String(value)] }];
  return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
}

/** The answer of /api/v1/query_range to a value that stays the same. */
function rangeAnswer(search, value) {
  const [start, end, step] = ['start', 'end', 'step'].map((name) => Number.parseFloat(search.get(name)));
  const values = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => [
    start + index * step,
    String(value),
  ]);
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } });
}

/** /api/v1/query and query_range on loopback: each query has one value, which a test may change at any time. */
async function prometheus(values, { make = http.createServer, scheme = 'http' } = {}) {
  const own = { values, queries: 0 };
  const server = make(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://peer');
    const query = searchParams.get('query');
    own.queries += 1;
    response.setHeader('Content-Type', 'application/json');
    const value = own.values[query];
    await own.held;
    response.end(pathname.endsWith('query_range') ? rangeAnswer(searchParams, value) : answer(query, value));
  });
  own.address = `${scheme}://127.0.0.1:${await listening(server)}`;
  own.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return own;
}

/** A Prometheus that answers no query until release() is called. */
async function heldPrometheus(values) {
  const own = await prometheus(values);
  own.held = new Promise((resolve) => (own.release = resolve));
  return own;
}

/** A server that takes connections and never says a word. */
async function silentPeer() {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  const address = `http://127.0.0.1:${await listening(server)}`;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address, close };
}

/** A program of its own: node with these arguments; what it wrote and how it ended. */
function run(args, { env = {}, cwd = PACKAGE, timeout = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, timeout });
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (out[name] += text));
    child.on('error', reject).on('close', (code, signal) => resolve({ ...out, code, signal, ended: Date.now() }));
  });
}

/** The code as a program, with `gputide` and `support` in reach. */
function runCode(code, options) {
  const head = `const gputide = require(${JSON.stringify(PACKAGE)}); const support = require(${JSON.stringify(__filename)});\n`;
  return run(['--expose-gc', '-e', head + code], options);
}

function residentKib() {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

module.exports = {
  PACKAGE,
  NOW_MS,
  scaledObject,
  prometheusTrigger,
  prometheus,
  heldPrometheus,
  silentPeer,
  answer,
  run,
  runCode,
  residentKib,
  sleep,
};
