using System;
using System.Linq;
using Gputide;

/// <summary>Replay, forecast, nodes, right-sizing, jobs.</summary>
internal static class PlanTest {
    public static void AReplayOfASeries() {
        long[] times = Enumerable.Range(0, 100).Select(index => Support.NowMs + index * 15000L).ToArray();
        using (var series = new Series())
        using (Replay replay = Replay.Open(Support.ScaledObject())) {
            series.Add(0, times, times.Select(time => 42.5).ToArray());
            replay.RunAsync(series).Wait();
            Support.Contains(replay.Report(), "\"replica_hours\"");
            Support.Throws<ArgumentException>(() => series.Add(0, times, new double[1]));
        }
        using (Replay replay = Replay.Open(Support.ScaledObject())) {
            replay.Record(Support.Now, new Sample[] { 42.5 }, 3);
            Support.Same(9, replay.Record(Moment.At(Support.NowMs + 60000), new Sample[] { 42.5 }).Proposed);
        }
    }

    public static void AForecastAndItsFloor() {
        using (Forecast forecast = Forecast.Open("{\"mode\":\"act\"}")) {
            for (int pass = 0; pass < 10; pass++) forecast.Add(Moment.At(Support.NowMs + pass * 15000), 10);
            Floor floor = forecast.Floor(5, 2, 2, 10);
            Support.Same(2, floor.Replicas);
            Support.Same(FloorReason.WarmingUp, floor.Reason);
            forecast.Charge(2, 2);
            string saved = forecast.Save();
            forecast.Load(saved);
            Support.Same(saved, forecast.Save());
            Support.Contains(forecast.Describe(), "lead_ms");
        }
    }

    public static void APlanOfNodes() {
        const string cluster = "{\"pools\":[{\"id\":\"gpu\",\"size\":0,\"min\":0,\"max\":4,\"allocatable\":{\"cpu\":8000,"
            + "\"memory\":\"32Gi\",\"nvidia.com/gpu\":1}}],\"groups\":[{\"name\":\"train\",\"count\":2,"
            + "\"pod\":{\"requests\":{\"cpu\":1000,\"nvidia.com/gpu\":1}}}]}";
        NodesPlan plan = NodesPlan.Of(cluster, "", Support.Now);
        Support.Same(2L, plan.NodesToAdd);
        Support.Same(2L, plan.PodsOnNew);
        Support.Same(2L, NodesPlan.Of(cluster, plan.NextState, Support.Now).NodesToAdd);
    }

    public static void RightSizing() {
        using (Rightsize rightsize = Rightsize.Open("{}")) {
            uint container = rightsize.Container("main");
            Support.Same(1u, container);
            UsageSample[] samples = Enumerable.Range(0, 10).Select(index => new UsageSample {
                Time = Moment.At(Support.NowMs + index * 15000), Container = container, Busy = 40, MemoryBytes = 8L << 30,
            }).ToArray();
            Support.Same(10u, rightsize.Add(samples));
            Support.Contains(rightsize.Recommend(container, Moment.At(Support.NowMs + 150000)), "verdict");
            Support.Contains(rightsize.Fit(8L << 30, 40), "{");
            rightsize.Load(container, rightsize.Save(container, Support.Now));
            Support.Contains(rightsize.Describe(), "{");
        }
    }

    public static void JobsOfAScaledJob() {
        const string manifest = "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledJob\",\"metadata\":{\"name\":\"train\"},"
            + "\"spec\":{\"jobTargetRef\":{\"template\":{}},\"triggers\":[{\"type\":\"prometheus\",\"metadata\":{"
            + "\"serverAddress\":\"http://x\",\"query\":\"q\",\"threshold\":\"2\"}}]}}";
        Support.Contains(Jobs.Decide(manifest, "{\"values\":[5],\"running\":1,\"pending\":0}"), "\"create\"");
    }
}
