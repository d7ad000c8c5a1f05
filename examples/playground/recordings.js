// Three recordings, generated here from fixed numbers, with a manifest that fits each.
'use strict';

const Recordings = (() => {
  const START_S = 1795132800; // 2026-11-20T00:00:00Z
  const STEP_S = 15;
  const DAY_S = 86400;

  // A linear congruential generator: the same recording in each browser.
  function random(seed) {
    let state = seed;
    return () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296;
  }

  function csv(days, replicas, seed, value) {
    const draw = random(seed);
    const lines = ['time,value,replicas'];
    for (let s = 0; s < days * DAY_S; s += STEP_S) {
      const noise = draw() + draw() + draw() - 1.5;
      lines.push(`${START_S + s},${Math.max(0, value(s, noise)).toFixed(1)},${replicas}`);
    }
    return lines.join('\n') + '\n';
  }

  const daily = (s, peak) => Math.max(0, Math.cos((2 * Math.PI * ((s % DAY_S) - peak * 3600)) / DAY_S));
  const burst = (s, at, minutes) => (s >= at * 3600 && s < at * 3600 + minutes * 60 ? 1 : 0);

  const chat = (s, noise) => {
    const weekend = Math.floor(s / DAY_S) % 7 === 1 || Math.floor(s / DAY_S) % 7 === 2 ? 0.45 : 1;
    return 12 + weekend * (110 * daily(s, 14) ** 1.5 + 45 * burst(s % DAY_S, 9, 40)) + 9 * noise;
  };
  const batch = (s, noise) => 4 + 90 * burst(s, 1, 55) + 40 * burst(s, 7.5, 25) + 140 * burst(s, 13, 70) + 60 * burst(s, 21, 30) + 6 * noise;
  const gpu = (s, noise) => Math.min(100, 26 + 50 * daily(s, 11) + 18 * daily(s, 20) + 14 * noise);

  const scaledObject = (name, type, threshold, max, query, metricType) => `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: ${name}
  annotations:
    gputide.io/gpus-per-replica: "1"
    gputide.io/cost-per-gpu-hour: "2.50"
spec:
  scaleTargetRef:
    name: ${name}
  minReplicaCount: 1
  maxReplicaCount: ${max}
  cooldownPeriod: 300
  triggers:
    - type: prometheus
      metricType: ${metricType}
      metadata:
        serverAddress: http://prometheus.monitoring:9090
        query: ${query}
        threshold: "${threshold}"
`;

  return {
    chat: {
      signal: 'total', startup: 240, csv: () => csv(7, 14, 7, chat),
      manifest: scaledObject('chat', 'prometheus', 10, 20, 'sum(vllm:num_requests_running)', 'AverageValue'),
    },
    batch: {
      signal: 'total', startup: 180, csv: () => csv(1, 10, 11, batch),
      manifest: scaledObject('batch', 'prometheus', 12, 16, 'sum(queue_length)', 'AverageValue'),
    },
    gpu: {
      signal: 'utilization', startup: 120, csv: () => csv(1, 6, 5, gpu),
      manifest: scaledObject('images', 'prometheus', 60, 12, 'avg(DCGM_FI_DEV_GPU_UTIL)', 'Value'),
    },
  };
})();
