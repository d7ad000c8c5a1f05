using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Gputide;

/// <summary>Many scalers, and clusters.</summary>
internal static class RuntimeTest {
    private static readonly RuntimeOptions Quick = new RuntimeOptions {
        Reports = true, EveryDecision = true, Seed = 7, StartSpread = TimeSpan.FromMilliseconds(1),
    };

    public static void EventsOfAScaler() {
        using (var runtime = new ScalerRuntime(Quick)) {
            ulong id = runtime.Add(Support.ScaledObject(), null, 18446744073709551615);
            Support.Same(id, runtime.Find("default/demo"));
            Support.Same(id, runtime.Scalers().Single());
            runtime.Push(id, 42.5);
            runtime.Observe(id, new Observation(3, 42.5));
            Event next = runtime.NextEventAsync().Result;
            Support.Same("default/demo", next.Name);
            Support.Same(18446744073709551615, next.Tag);
            Support.Same(EventKind.Decision, next.Kind);
            Support.That(next.WantsWrite && next.Report.Contains("trace"), next.ToString());
            runtime.Record(next, true);
            runtime.Load(id, runtime.Save(id));
            Support.Contains(runtime.Describe(id), "demo");
            Support.Contains(runtime.Stats(), "scalers");
            runtime.Replace(id, Support.ScaledObject("demo", Support.Values, 4));
            runtime.Remove(id);
            Support.Throws<GputideException.NotFound>(() => runtime.Find("default/demo"));
            Support.Same(null, runtime.NextEvent(TimeSpan.Zero));
        }
    }

    public static void ALoopEndsWithItsToken() {
        using (var runtime = new ScalerRuntime(Quick))
        using (var cancel = new CancellationTokenSource()) {
            runtime.Observe(runtime.Add(Support.ScaledObject()), new Observation(3, 42.5));
            runtime.Start();
            foreach (Event next in runtime.Events(cancel.Token)) {
                Support.Same(6, next.Decision.Desired);
                cancel.Cancel();
            }
            runtime.StopAsync().Wait();
        }
    }

    public static void AClosedRuntimeEndsItsLoop() {
        var runtime = new ScalerRuntime(Quick);
        Task<int> loop = Task.Factory.StartNew(() => runtime.Events().Count(), TaskCreationOptions.LongRunning);
        Thread.Sleep(100);
        runtime.Dispose();
        Support.Same(0, loop.Result);
        runtime.Close(TimeSpan.Zero);
    }

    public static void AHostWithItsOwnLoop() {
        using (var runtime = new ScalerRuntime(Quick)) {
            runtime.Observe(runtime.Add(Support.ScaledObject()), new Observation(3, 42.5));
            Support.That(runtime.WakeFd() > 2, "descriptor");
            Moment? next = runtime.Step();
            for (int step = 0; step < 100 && runtime.NextEvent(TimeSpan.Zero) == null; step++) {
                Thread.Sleep(10);
                next = runtime.Step();
            }
            Support.That(next != null, "when to call again");
        }
    }

    public static void AClusterThatIsNotThere() {
        var options = new Options { Kubeconfig = "/nonexistent/config" };
        Support.Throws<GputideException>(() => Cluster.List("/api/v1/nodes", options, TimeSpan.FromSeconds(1)));
        Support.Contains(Cluster.Doctor("", options, TimeSpan.FromSeconds(5)).Lines, "/nonexistent/config");
        Support.Throws<GputideException>(() => Cluster.HandOver("{}", options, TimeSpan.FromSeconds(1)));
        using (var runtime = new ScalerRuntime()) {
            Support.Throws<GputideException>(() => runtime.AttachCluster("{", options));
            Support.Throws<GputideException.WrongState>(() => runtime.DescribeCluster());
            runtime.DetachCluster();
        }
        using (Credential credential = Credential.Open("provider: azure-cli", new Options { AllowedPrograms = new[] { "az" } })) {
            Support.Throws<GputideException.Invalid>(() => credential.WriteAgentPool("{}"));
        }
    }
}
