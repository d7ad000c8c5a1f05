// Many scalers in one process, awaited: Fleet ADDRESS SECONDS
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
using Gputide;

static class Fleet {
    const string Manifest = @"
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: NAME}
spec:
  scaleTargetRef: {name: NAME}
  maxReplicaCount: 20
  pollingInterval: 1
  triggers:
  - type: prometheus
    metadata: {serverAddress: ADDRESS, query: 'queue_length{model=""NAME""}', threshold: '4'}
";

    static void Main(string[] arguments) {
        Watch(arguments[0], TimeSpan.FromSeconds(double.Parse(arguments[1]))).Wait();
    }

    static async Task Watch(string address, TimeSpan duration) {
        var sizes = new Dictionary<ulong, int>();
        var clock = Stopwatch.StartNew();
        using (var runtime = new ScalerRuntime(new RuntimeOptions { StartSpread = TimeSpan.FromMilliseconds(200) })) {
            foreach (string name in new[] { "chat", "embed", "rerank" }) {
                ulong id = runtime.Add(Manifest.Replace("NAME", name).Replace("ADDRESS", address));
                runtime.Observe(id, new Observation(sizes[id] = 2));
            }
            while (clock.Elapsed < duration) {
                Event next = await runtime.NextEventAsync(TimeSpan.FromMilliseconds(500));
                if (next == null || !next.WantsWrite) continue;
                sizes[next.Id] = next.Decision.Desired; // here: write it to the target
                runtime.Record(next, true);
                Console.WriteLine("{0} now has {1} replicas", next.Name, next.Decision.Desired);
            }
        }
    }
}
