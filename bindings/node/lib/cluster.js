// A Kubernetes cluster without a runtime: its lists, read once, which planNodes takes, its diagnosis, and a ScaledObject that is
// handed over from KEDA to gputide, or back.
'use strict';

const { waiting } = require('./handle.js');
const { json } = require('./json.js');
const { diagnosis } = require('./scaler.js');
const { durationMs } = require('./time.js');
const { optionsIn, settingsIn } = require('./values.js');

const CLUSTER_MS = 60_000;

async function listCluster(path, { options, timeout = CLUSTER_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return waiting([], { signal, timeoutMs }, (addon, cancel, leftMs) => addon.waiting.cluster_list(path, chosen, leftMs, cancel));
}

async function doctorCluster(settings = '', { options, timeout = CLUSTER_MS, signal } = {}) {
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return diagnosis({ signal, timeoutMs }, (addon, cancel, leftMs) =>
    addon.waiting.cluster_doctor(settings, chosen, leftMs, cancel),
  );
}

async function handOver(change, { options, timeout = CLUSTER_MS, signal } = {}) {
  const text = settingsIn(change);
  const chosen = optionsIn(options);
  const timeoutMs = durationMs(timeout);
  return json(
    await waiting([], { signal, timeoutMs }, (addon, cancel, leftMs) =>
      addon.waiting.cluster_handover(text, chosen, leftMs, cancel),
    ),
  );
}

module.exports = { listCluster, doctorCluster, handOver };
