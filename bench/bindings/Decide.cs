using System;
using System.Diagnostics;
using Gputide;

/// <summary>The nanoseconds of one State.Decide with one number, the best of 200 rounds: what decide.c measures, from C#.</summary>
internal static class Decide {
    private const string Manifest = "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
        + "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"minReplicaCount\":1,\"maxReplicaCount\":20,"
        + "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\",\"activationThreshold\":\"2\"}}]}}";
    private const int Rounds = 200, Calls = 1000;

    private static void Main() {
        using (Policy policy = Policy.Open(Manifest))
        using (State state = policy.NewState()) {
            double best = double.MaxValue;
            long now = 1795255200000;
            for (int round = 0; round < Rounds; round++) {
                var clock = Stopwatch.StartNew();
                for (int index = 0; index < Calls; index++, now += 15000) state.Decide(Moment.At(now), 3, 10 + index % 7);
                best = Math.Min(best, clock.Elapsed.TotalMilliseconds * 1e6 / Calls);
            }
            Console.WriteLine("{0:0}", best);
        }
    }
}
