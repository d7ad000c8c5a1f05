using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Gputide;

/// <summary>The lifetime of handles, and threads on them.</summary>
internal static class HandlesTest {
    public static void LeakOpeningAndDisposingTakesNoMemory() {
        Support.Outcome done = Support.Mono("Tests.exe", "--leak " + Support.LeakRounds, "MALLOC_ARENA_MAX", "1");
        Support.Same(0, done.Status);
        string[] lines = done.Output.TrimEnd().Split('\n');
        Support.Same(Openers.All.Count + 2, lines.Length);
        foreach (string line in lines.Take(lines.Length - 1)) {
            Support.That(long.Parse(line.Split(' ')[1]) < 64, "bytes per round: " + done.Output);
        }
        Support.Same("alive 0", lines.Last());
    }

    public static void OrderOfDisposingIsFree() {
        Support.Alive(0);
        Support.Elsewhere(() => {
            List<Func<Handle>> openers = Openers.All.Values.ToList();
            for (int seed = 0; seed < Support.LeakRounds / 50; seed++) {
                var chance = new Random(seed);
                Handle[] handles = Enumerable.Range(0, 50).Select(index => openers[chance.Next(openers.Count)]()).ToArray();
                foreach (Handle handle in handles.OrderBy(handle => chance.Next()).Take(40)) handle.Dispose();
            }
        });
        Support.Alive(0); // the collector frees the others
    }

    public static void ForgottenHandlesAreFreedByTheCollector() {
        foreach (var opener in Openers.All) {
            Support.Elsewhere(() => opener.Value());
            Support.Alive(0);
        }
    }

    public static void ClosedHandlesRefuseUseAndCloseTwice() {
        Support.Same(string.Join(" ", Openers.All.Keys), string.Join(" ", Openers.Uses.Keys));
        foreach (var opener in Openers.All) {
            Handle handle = opener.Value();
            handle.Dispose();
            handle.Dispose();
            Support.That(handle.IsClosed, opener.Key);
            var refused = Support.Throws<ObjectDisposedException>(() => Openers.Uses[opener.Key](handle));
            Support.Contains(refused.Message, "is closed");
        }
    }

    public static void ClosedDuringACallEndsIt() {
        using (var peer = new Server(isSilent: true)) {
            Source source = Source.Open(Support.Prometheus(peer.Address));
            Task<Sample> fetch = source.FetchAsync(default(Moment), TimeSpan.FromMinutes(1));
            Thread.Sleep(100);
            source.Dispose();
            var problem = Support.Throws<AggregateException>(() => fetch.Wait());
            Support.That(problem.InnerException is GputideException.Cancelled, problem.ToString());
        }
    }

    public static void APolicyLivesAsLongAsItsStates() {
        State state;
        using (Policy policy = Policy.Open(Support.ScaledObject())) state = policy.NewState();
        Support.Same(6, state.Decide(Support.Now, 3, 42.5).Desired);
        state.Dispose();
        Support.Alive(0);
    }

    public static void ConcurrentThreadsOnAPolicyAgree() {
        using (Policy policy = Policy.Open(Support.ScaledObject())) {
            string wanted = policy.Describe();
            InThreads(8, () => {
                Support.Same(wanted, policy.Describe());
                using (State state = policy.NewState()) Support.Same(6, state.Decide(Support.Now, 3, 42.5).Desired);
            });
        }
    }

    public static void ConcurrentThreadsOnAStateTakeTurns() {
        using (Policy policy = Policy.Open(Support.ScaledObject()))
        using (State state = policy.NewState()) {
            long now = Support.NowMs;
            InThreads(8, () => {
                state.Decide(Moment.At(Interlocked.Add(ref now, 15000)), 3, 42.5);
                state.Save();
            });
        }
    }

    public static void ConcurrentThreadsOnARuntime() {
        using (var runtime = new ScalerRuntime()) {
            int count = 0;
            InThreads(8, () => {
                ulong id = runtime.Add(Support.ScaledObject("s" + Interlocked.Increment(ref count)));
                runtime.Observe(id, new Observation(3, 42.5));
                runtime.NextEvent(TimeSpan.Zero);
                runtime.Remove(id);
            });
        }
    }

    private static void InThreads(int count, Action action) {
        DateTime end = DateTime.UtcNow.AddMilliseconds(Support.ConcurrentMs);
        Task[] tasks = Enumerable.Range(0, count).Select(index => Task.Factory.StartNew(() => {
            while (DateTime.UtcNow < end) action();
        }, TaskCreationOptions.LongRunning)).ToArray();
        Task.WaitAll(tasks);
    }

    public static void ExitIsQuickAndSilentWhateverIsOpen() {
        Support.Outcome done = Support.Mono("Tests.exe", "--exit");
        long end = Moment.Now.UnixMs;
        Support.Same("", done.Error.Trim());
        Support.Same(0, done.Status);
        Support.That(end - long.Parse(done.Output.Split(' ')[0]) < 4000, done.Output);
    }
}
