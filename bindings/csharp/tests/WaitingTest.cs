using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Gputide;

/// <summary>Timeouts, cancellation and async calls.</summary>
internal static class WaitingTest {
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    public static void CancelEndsAFetchWithin200Ms() {
        using (var peer = new Server(isSilent: true))
        using (Source source = Source.Open(Support.Prometheus(peer.Address)))
        using (var cancel = new CancellationTokenSource()) {
            Stopwatch clock = null;
            new Timer(ignored => {
                clock = Stopwatch.StartNew();
                cancel.Cancel();
            }, null, 200, -1);
            var ended = Support.Throws<OperationCanceledException>(() => source.Fetch(default(Moment), Minute, cancel.Token));
            Support.That(clock.ElapsedMilliseconds < 200, clock.ElapsedMilliseconds + " ms");
            Support.Same(cancel.Token, ended.CancellationToken);
            Support.Throws<OperationCanceledException>(() => source.Fetch(default(Moment), Minute, cancel.Token));
        }
    }

    public static void CancelOfAnAsyncCallCancelsItsTask() {
        using (var peer = new Server(isSilent: true))
        using (Scaler scaler = Scaler.Open(Support.ScaledObject("demo", Support.Prometheus(peer.Address))))
        using (var cancel = new CancellationTokenSource(200)) {
            Task<Decision> tick = scaler.TickAsync(new Observation(1), Minute, cancel.Token);
            Support.Throws<AggregateException>(() => tick.Wait());
            Support.That(tick.IsCanceled, tick.Status.ToString());
        }
    }

    public static void ATimeoutIsAnException() {
        using (var peer = new Server(isSilent: true))
        using (Source source = Source.Open(Support.Prometheus(peer.Address))) {
            var problem = Support.Throws<GputideException.Timeout>(
                () => source.Fetch(default(Moment), TimeSpan.FromMilliseconds(100)));
            Support.That(problem.IsRetryable, "retryable");
            Support.Same(SampleState.Timeout, problem.Sample.State);
        }
    }

    public static void ATimeoutCoversTheWaitForATurn() {
        using (var peer = new Server(isSilent: true))
        using (Source source = Source.Open(Support.Prometheus(peer.Address)))
        using (var cancel = new CancellationTokenSource()) {
            Task<Sample> first = source.FetchAsync(default(Moment), Minute, cancel.Token);
            Thread.Sleep(100);
            var problem = Support.Throws<GputideException.Timeout>(
                () => source.Fetch(default(Moment), TimeSpan.FromMilliseconds(100)));
            Support.Contains(problem.Message, "take turns");
            cancel.Cancel();
            Support.Throws<AggregateException>(() => first.Wait());
        }
    }

    public static void AFetchOfEachKind() {
        using (var server = new Server())
        using (Source source = Source.Open(Support.Prometheus(server.Address)))
        using (Scaler scaler = Scaler.Open(Support.ScaledObject("demo", Support.Prometheus(server.Address)))) {
            server.Values["load"] = 42.5;
            Support.Same(42.5, source.FetchAsync().Result.Value);
            Support.Contains(source.FetchAll(), "42.5");
            Support.Contains(source.Request(Support.Now), "/api/v1/query");
            Support.Same(7.0, source.Parse(200, "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1,\"7\"]}}").Value);
            Decision decision = scaler.TickAsync(new Observation(3), withReport: true).Result;
            Support.Same(6, decision.Desired);
            scaler.Record(decision, false, default(Moment), "quota");
            Support.Contains(scaler.Describe(), "quota");
            scaler.Load(scaler.Save());
        }
    }

    public static void LogLinesArrive() {
        using (var server = new Server())
        using (Source source = Source.Open(Support.Prometheus(server.Address)))
        using (LogReader log = LogReader.Open(LogLevel.Debug)) {
            server.Values["load"] = 1;
            source.Fetch();
            LogLine line = log.Next();
            Support.Same(LogLevel.Debug, line.Level);
            Support.That(line.Text.Length > 0, "line");
            var lines = new System.Collections.Concurrent.ConcurrentQueue<LogLine>();
            using (LogReader.Forward(next => { lines.Enqueue(next); throw new Exception("of the host"); }, LogLevel.Debug)) {
                source.Fetch();
                for (int attempt = 0; attempt < 200 && lines.IsEmpty; attempt++) Thread.Sleep(10);
                Thread.Sleep(50); // an exception that ends the process would do so here
            }
            Support.That(!lines.IsEmpty, "forwarded");
        }
    }
}
