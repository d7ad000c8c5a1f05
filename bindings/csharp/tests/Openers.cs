using System;
using System.Collections.Generic;
using Gputide;

/// <summary>An opener and a use of each class of handles.</summary>
internal static class Openers {
    private const string Trigger = "type: prometheus\nmetadata: {serverAddress: 'http://127.0.0.1:1', query: q, threshold: '5'}\n";

    internal static readonly Dictionary<string, Func<Handle>> All = new Dictionary<string, Func<Handle>> {
        { "policy", () => Policy.Open(Support.ScaledObject()) },
        { "state", State },
        { "scaler", () => Scaler.Open(Support.ScaledObject()) },
        { "source", () => Source.Open(Trigger) },
        { "credential", () => Credential.Open("provider: azure-cli", new Options { AllowedPrograms = new[] { "az" } }) },
        { "runtime", () => new ScalerRuntime() },
        { "series", () => new Series() },
        { "replay", () => Replay.Open(Support.ScaledObject()) },
        { "forecast", () => Forecast.Open() },
        { "rightsize", () => Rightsize.Open("{}") },
        { "log", () => LogReader.Open() },
    };

    internal static readonly Dictionary<string, Action<Handle>> Uses = new Dictionary<string, Action<Handle>> {
        { "policy", handle => ((Policy) handle).Describe() },
        { "state", handle => ((State) handle).Decide(Support.Now, 1, 1) },
        { "scaler", handle => ((Scaler) handle).Tick(new Observation(1)) },
        { "source", handle => ((Source) handle).Fetch() },
        { "credential", handle => ((Credential) handle).Invalidate("scope", "token") },
        { "runtime", handle => ((ScalerRuntime) handle).NextEvent(TimeSpan.Zero) },
        { "series", handle => ((Series) handle).Describe() },
        { "replay", handle => ((Replay) handle).Report() },
        { "forecast", handle => ((Forecast) handle).Describe() },
        { "rightsize", handle => ((Rightsize) handle).Describe() },
        { "log", handle => ((LogReader) handle).Next(TimeSpan.Zero) },
    };

    private static Handle State() {
        using (Policy policy = Policy.Open(Support.ScaledObject())) return policy.NewState();
    }
}
