// A service that shows its autoscaler's decisions live: a page at /, the last decision as JSON at /decision, each new one as a
// server-sent event at /events.  What it scales is a simulated pool of workers behind a queue; the same server gives its length
// at /api/v1/query, as a Prometheus would.
//   node live.mjs [--port 8080] [--seconds N]
// --seconds: ends by itself after listening to its own /events, once the load has come and gone.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Runtime } from 'gputide';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, seconds: { type: 'string' } } });
const PAGE = `<!doctype html><title>decisions</title><ul id="list"></ul><script>
  new EventSource('/events').onmessage = ({ data }) => {
    const { name, decision } = JSON.parse(data);
    const line = document.createElement('li');
    line.textContent = decision.now + '  ' + name + '  ' + decision.current + ' → ' + decision.desired + ' (' + decision.limitedBy + ')';
    document.getElementById('list').prepend(line);
  };
</script>`;

/** Workers that take 8 requests a second each from one queue. */
class Pool {
  replicas = 1;
  queue = 0;
  arriving = 0;

  advance(seconds) {
    this.queue = Math.max(0, this.queue + (this.arriving - 8 * this.replicas) * seconds);
  }

  async resize(replicas) {
    await sleep(5); // a Deployment's scale would be written here
    this.replicas = replicas;
    return true;
  }
}

/** Decisions of a runtime for any number of listeners; one that is gone misses nothing that others need. */
class Board {
  last = null;
  listeners = new Set();

  show(event) {
    this.last = { name: event.name, decision: event.decision };
    for (const listener of this.listeners) listener.write(`data: ${JSON.stringify(this.last)}\n\n`);
  }

  listen(response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(this.last === null ? ':\n\n' : `data: ${JSON.stringify(this.last)}\n\n`);
    this.listeners.add(response);
    response.on('close', () => this.listeners.delete(response));
  }
}

function serve(pool, board) {
  const json = (response, value) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(value));
  };
  const routes = {
    '/': (response) => response.setHeader('Content-Type', 'text/html; charset=utf-8').end(PAGE),
    '/decision': (response) => json(response, board.last),
    '/events': (response) => board.listen(response),
    '/api/v1/query': (response) => {
      const value = [Date.now() / 1000, String(pool.queue)];
      json(response, { status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value }] } });
    },
  };
  return createServer((request, response) => {
    const route = routes[new URL(request.url, 'http://host').pathname];
    if (route === undefined) response.writeHead(404).end();
    else route(response);
  });
}

const manifest = (address) => `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: embedder
  annotations: {gputide.io/sync-period: 1s}
spec:
  scaleTargetRef: {name: embedder}
  minReplicaCount: 1
  maxReplicaCount: 6
  pollingInterval: 1
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleDown: {stabilizationWindowSeconds: 2, policies: [{type: Pods, value: 2, periodSeconds: 1}]}
  triggers:
    - type: prometheus
      metadata: {serverAddress: "${address}", query: sum(queue_length), threshold: "10"}
`;

async function follow(runtime, pool, board) {
  for await (const event of runtime.events()) {
    board.show(event);
    if (!event.wantsWrite) continue;
    runtime.record(event, await pool.resize(event.desired));
    console.log(`${event.current} -> ${event.desired}, ${Math.round(pool.queue)} requests wait`);
  }
}

/** Reads /events as a browser would. */
async function hear(address, signal) {
  const heard = [];
  try {
    const { body } = await fetch(`${address}/events`, { signal });
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const messages = (text + chunk).split('\n\n');
      text = messages.pop();
      for (const message of messages) if (message.startsWith('data: ')) heard.push(JSON.parse(message.slice(6)));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return heard;
}

const pool = new Pool();
const board = new Board();
const server = serve(pool, board).listen(Number(values.port), '127.0.0.1');
await once(server, 'listening');
const address = `http://127.0.0.1:${server.address().port}`;
console.log(`decisions are at ${address}/`);

const runtime = new Runtime({ startSpread: 100, everyDecision: true });
runtime.observe(runtime.add(manifest(address), { textName: 'embedder' }), { current: pool.replicas });
const following = follow(runtime, pool, board);
const ticking = setInterval(() => pool.advance(0.1), 100);
pool.arriving = 30;

if (values.seconds !== undefined) {
  const ended = new AbortController();
  const hearing = hear(address, ended.signal);
  await sleep((Number(values.seconds) * 1000) / 2);
  pool.arriving = 0;
  await sleep((Number(values.seconds) * 1000) / 2);
  ended.abort();
  const heard = await hearing;
  console.log(`heard ${heard.length} decisions over HTTP, the last one of ${heard.at(-1).decision.desired} replicas`);
  clearInterval(ticking);
  await runtime.close();
  await following;
  server.closeAllConnections();
  server.close();
}
