// Lists of a Kubernetes cluster, read once: what planNodes takes.
'use strict';

const { waiting } = require('./handle.js');
const { durationMs } = require('./time.js');
const { optionsIn } = require('./values.js');

const LIST_MS = 60_000;

async function listCluster(path, { options, timeout = LIST_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return waiting([], signal, (addon, cancel) => addon.waiting.cluster_list(path, chosen, timeoutMs, cancel));
}

module.exports = { listCluster };
