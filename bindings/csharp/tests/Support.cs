using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Net;
using System.Reflection;
using System.Text;
using System.Threading;
using System;
using Gputide;

/// <summary>A test's expectation did not hold.</summary>
internal sealed class Failure : Exception {
    internal Failure(string message) : base(message) {}
}

/// <summary>What the tests share: manifests, servers, other processes.</summary>
internal static class Support {
    internal const long NowMs = 1795255200000;
    internal static readonly Moment Now = Moment.At(NowMs);
    internal static readonly int LeakRounds = Number("GPUTIDE_LEAK_ROUNDS", 1000);
    internal static readonly int ConcurrentMs = Number("GPUTIDE_CONCURRENT_MS", 1000);
    internal const string Values = "{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\",\"activationThreshold\":\"2\"}}";

    private static int Number(string variable, int otherwise) {
        string given = Environment.GetEnvironmentVariable(variable);
        return string.IsNullOrEmpty(given) ? otherwise : int.Parse(given);
    }

    /// <summary>The folder of the binding; the build folder has the programs.</summary>
    internal static string Source {
        get { return Environment.GetEnvironmentVariable("GPUTIDE_CSHARP_SOURCE") ?? "bindings/csharp"; }
    }

    internal static string Built {
        get { return Path.GetDirectoryName(Assembly.GetExecutingAssembly().Location); }
    }

    internal static string ScaledObject(string name = "demo", string trigger = Values, int max = 20) {
        return ("{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"NAME\"},\"spec\":{"
            + "\"scaleTargetRef\":{\"name\":\"NAME\"},\"minReplicaCount\":1,\"maxReplicaCount\":" + max + ",\"triggers\":[TRIGGER]}}")
            .Replace("NAME", name).Replace("TRIGGER", trigger);
    }

    internal static string Prometheus(string address) {
        return "{\"type\":\"prometheus\",\"metadata\":{\"serverAddress\":\"" + address + "\",\"query\":\"load\",\"threshold\":\"5\"}}";
    }

    internal static void That(bool holds, string what) {
        if (!holds) throw new Failure(what);
    }

    internal static void Same<T>(T wanted, T found) {
        That(EqualityComparer<T>.Default.Equals(wanted, found), "wanted " + wanted + ", found " + found);
    }

    internal static void Contains(string text, string part) {
        That(text.Contains(part), "no \"" + part + "\" in: " + text);
    }

    internal static T Throws<T>(Action action) where T : Exception {
        try {
            action();
        } catch (T problem) {
            return problem;
        }
        throw new Failure("no " + typeof(T).Name);
    }

    /// <summary>Waits until as many handles are alive; the collector takes a moment.</summary>
    internal static void Alive(long wanted) {
        for (int attempt = 0; attempt < 500 && Library.Alive != wanted; attempt++) {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(5);
        }
        Same(wanted, Library.Alive);
    }

    /// <summary>Runs in a thread, so that the collector finds nothing on the stack afterwards.</summary>
    internal static void Elsewhere(Action action) {
        Exception problem = null;
        var thread = new Thread(() => {
            try {
                action();
            } catch (Exception failed) {
                problem = failed;
            }
        });
        thread.Start();
        thread.Join();
        if (problem != null) throw new Failure(problem.ToString());
    }

    internal sealed class Outcome {
        internal int Status;
        internal string Output, Error;
    }

    /// <summary>Runs one of the programs in the build folder; a variable "" is unset.</summary>
    internal static Outcome Mono(string program, string arguments, params string[] variables) {
        return Run("mono", "\"" + Path.Combine(Built, program) + "\" " + arguments, variables);
    }

    internal static Outcome Run(string command, string arguments, params string[] variables) {
        var start = new ProcessStartInfo(command, arguments) {
            UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        for (int index = 0; index < variables.Length; index += 2) {
            if (variables[index + 1] == "") start.EnvironmentVariables.Remove(variables[index]);
            else start.EnvironmentVariables[variables[index]] = variables[index + 1];
        }
        using (Process process = Process.Start(start)) {
            var error = new StringBuilder();
            process.ErrorDataReceived += (sender, line) => error.AppendLine(line.Data);
            process.BeginErrorReadLine();
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return new Outcome { Status = process.ExitCode, Output = output, Error = error.ToString() };
        }
    }
}

/// <summary>A folder that goes with its test.</summary>
internal sealed class Folder : IDisposable {
    internal readonly string Path = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "gputide-" + Guid.NewGuid().ToString("N"));

    internal Folder() {
        Directory.CreateDirectory(Path);
    }

    internal string this[string name] {
        get { return System.IO.Path.Combine(Path, name); }
    }

    public void Dispose() {
        Directory.Delete(Path, true);
    }
}

/// <summary>A server on loopback: /api/v1/query has a value per query, which a test may change; Silent takes connections and never
/// responds.</summary>
internal sealed class Server : IDisposable {
    internal readonly Dictionary<string, double> Values = new Dictionary<string, double>();
    private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);

    internal Server(bool isSilent = false) {
        listener.Start(64);
        Address = "http://127.0.0.1:" + ((IPEndPoint) listener.LocalEndpoint).Port;
        if (!isSilent) new Thread(Accept) { IsBackground = true }.Start();
    }

    internal string Address { get; }

    private void Accept() {
        try {
            while (true) {
                TcpClient client = listener.AcceptTcpClient();
                new Thread(() => Serve(client)) { IsBackground = true }.Start();
            }
        } catch (Exception) {
            // disposed
        }
    }

    private void Serve(TcpClient client) {
        using (client)
        using (var reader = new StreamReader(client.GetStream(), Encoding.ASCII)) {
            try {
                for (string request = reader.ReadLine(); request != null; request = reader.ReadLine()) {
                    while (!string.IsNullOrEmpty(reader.ReadLine())) {}
                    byte[] reply = Reply(request);
                    client.GetStream().Write(reply, 0, reply.Length);
                }
            } catch (IOException) {
                // the library closed the connection
            }
        }
    }

    private byte[] Reply(string request) {
        string given = request.Split(' ')[1].Split('?', '&').FirstOrDefault(part => part.StartsWith("query=")) ?? "query=";
        string query = Uri.UnescapeDataString(given.Substring("query=".Length).Replace('+', ' '));
        string row = Values.TryGetValue(query, out double value)
            ? "{\"metric\":{},\"value\":[" + Support.NowMs / 1000 + ",\"" + value + "\"]}" : "";
        string body = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" + row + "]}}";
        return Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.Length
            + "\r\n\r\n" + body);
    }

    public void Dispose() {
        listener.Stop();
    }
}

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
