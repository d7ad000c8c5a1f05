// A Kubernetes cluster without a runtime: its lists, read once, which planNodes takes, and its diagnosis.
'use strict';

const { waiting } = require('./handle.js');
const { diagnosis } = require('./scaler.js');
const { durationMs } = require('./time.js');
const { optionsIn } = require('./values.js');

const CLUSTER_MS = 60_000;

async function listCluster(path, { options, timeout = CLUSTER_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return waiting([], signal, (addon, cancel) => addon.waiting.cluster_list(path, chosen, timeoutMs, cancel));
}

async function doctorCluster(settings = '', { options, timeout = CLUSTER_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return diagnosis(signal, (addon, cancel) => addon.waiting.doctor_cluster(settings, chosen, timeoutMs, cancel));
}

module.exports = { listCluster, doctorCluster };
