// Decisions from numbers: no file, no network, no clock.
using System;
using Gputide;

static class NumbersAlone {
    const string Manifest = @"
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: llm}
spec:
  scaleTargetRef: {name: llm}
  minReplicaCount: 1
  maxReplicaCount: 20
  triggers:
  - type: values
    metadata: {threshold: '5', activationThreshold: '2'}
";

    static void Main() {
        var now = new DateTimeOffset(2026, 11, 21, 10, 0, 0, TimeSpan.Zero);
        using (Policy policy = Policy.Open(Manifest))
        using (State state = policy.NewState()) {
            int size = 3;
            foreach (double load in new[] { 42.5, 42.5, 12 }) {
                var observation = new Observation(size, load) { Now = now };
                Decision decision = state.Decide(observation, withReport: true);
                Console.WriteLine(decision);
                if (decision.WantsWrite) state.Record(decision, true, now);
                if (size == decision.Desired) Console.Write(decision.Explain());
                size = decision.Desired;
                now = now.AddSeconds(15);
            }
        }
    }
}
