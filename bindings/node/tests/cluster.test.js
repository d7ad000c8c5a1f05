// Access to a cluster without a runtime: its lists, its diagnosis, the size of a node pool.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { afterEach, test } = require('node:test');
const gputide = require('..');
const { NOW_MS } = require('./support.js');

afterEach(() => assert.equal(gputide.alive(), 0, 'handles left open'));

const node = (name) => ({ metadata: { name }, status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } } });

/** Two pages of nodes on loopback, for the token t. */
async function apiServer(t) {
  return serving(t, (asked, answer) => {
    const isLast = asked.url.endsWith('&continue=2');
    answer.statusCode = asked.url.startsWith('/api/v1/nodes?') && asked.headers.authorization === 'Bearer t' ? 200 : 403;
    const page = { metadata: isLast ? {} : { continue: '2' }, items: [node(isLast ? 'two' : 'one')] };
    answer.end(JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', ...page }));
  });
}

async function serving(t, answer) {
  const server = http.createServer(answer);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return kubeconfigOf(t, `http://127.0.0.1:${server.address().port}`);
}

function kubeconfigOf(t, server) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gputide-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const users = [{ name: 'u', user: { token: 't' } }];
  const config = { 'current-context': 'c', contexts: [context], clusters: [{ name: 'c', cluster: { server } }], users };
  fs.writeFileSync(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config }));
  return { kubeconfig };
}

test('lists: the pages of a cluster become a plan', async (t) => {
  const options = await apiServer(t);
  const lists = await gputide.listCluster('/api/v1/nodes', { options });
  assert.deepEqual(
    gputide.planNodes(lists, { now: NOW_MS }).json.data.nodes.map((each) => each.name),
    ['one', 'two'],
  );
  await assert.rejects(gputide.listCluster('/api/v1/pods', { options }), gputide.ForbiddenError);
  await assert.rejects(gputide.listCluster('/healthz', { options }), gputide.InvalidError);
});

test('diagnosis: an API server that is not there', async (t) => {
  const options = kubeconfigOf(t, 'http://127.0.0.1:9');
  const found = await gputide.doctorCluster('{namespaces: [ml], lease: {namespace: ml}}', { options, timeout: 10_000 });
  assert.deepEqual([found.report.data.verdict, found.report.data.namespace], ['failed', 'ml']);
  assert.match(found.lines, /^http:\/\/127\.0\.0\.1:9: fails at step endpoint/);
  await assert.rejects(gputide.doctorCluster('nope: 1', { options }), gputide.InvalidError);
});

test('handover: what would be done', async (t) => {
  const options = await serving(t, (asked, answer) => {
    const isList = asked.url.includes('/horizontalpodautoscalers');
    const metadata = { name: 'llm', namespace: 'ml', resourceVersion: '7', finalizers: ['finalizer.keda.sh'] };
    const list = { kind: 'HorizontalPodAutoscalerList', apiVersion: 'autoscaling/v2', metadata: {}, items: [] };
    answer.end(JSON.stringify(isList ? list : { kind: 'ScaledObject', apiVersion: 'keda.sh/v1alpha1', metadata }));
  });
  const outcome = await gputide.handOver({ namespace: 'ml', name: 'llm', to: 'gputide' }, { options });
  assert.deepEqual([outcome.data.result, outcome.data.steps[0].state], ['planned', 'planned']);
  await assert.rejects(gputide.handOver({ name: 'llm' }, { options }), gputide.InvalidError);
});

test('agent pools: a change of no cluster', async () => {
  const credential = new gputide.Credential('provider: azure-cli', { allowedPrograms: ['az'] });
  await assert.rejects(credential.writeAgentPool({ cluster: 'aks', pool: 'gpunp' }), gputide.InvalidError);
  await credential.close();
});
