using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Gputide;

/// <summary>Protocol 1 of docs/conformance.md over the public classes of bindings/csharp: the program that gputide_conformance --through
/// drives.  One line in, one line out, until the input ends.  Calls.cs is written by tests/bindings/conformance.</summary>
internal static class Conformance {
    private static readonly CallTable Table = new Calls();
    private static readonly TextWriter Output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));

    private static void Main() {
        Say(new Dictionary<string, object> {
            { "protocol", 1 }, { "binding", "csharp" }, { "version", Library.Version }, { "abi", Library.AbiVersion },
            { "library", Library.Path }, { "calls", Table.Entries.Keys.ToArray() },
        });
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (string line = input.ReadLine(); line != null; line = input.ReadLine()) Say(Answer(Json.Parse(line)));
    }

    private static void Say(object answer) {
        Output.Write(Json.Write(answer) + "\n");
        Output.Flush();
    }

    private static object Answer(object given) {
        var line = new Values(given);
        var reply = new SortedDictionary<string, object> { { "case", line.Given("case") } };
        // A stack of its own, which the collector does not look at afterwards.
        var thread = new Thread(() => Make(line, reply));
        thread.Start();
        thread.Join();
        reply["alive"] = Alive();
        return reply;
    }

    private static void Make(Values line, IDictionary<string, object> reply) {
        var results = new List<object>();
        var things = new Dictionary<string, object>();
        var order = new List<Handle>();
        reply["results"] = results;
        foreach (object arguments in (List<object>) line.Given("calls")) {
            try {
                results.Add(Result(new Call(arguments, things, order)));
            } catch (Exception problem) when (problem is Fault || problem is InvalidCastException) {
                reply["fault"] = Json.Write(arguments) + ": " + problem;
                break;
            }
        }
        string close = (string) line.Given("close") ?? "reverse";
        if (close == "reverse") order.Reverse();
        if (close != "collect") order.ForEach(handle => handle.Dispose());
    }

    private static object Result(Call call) {
        try {
            call.Make(Table);
        } catch (Missing missing) {
            return new Dictionary<string, object> { { "missing", missing.Message } };
        } catch (GputideException problem) {
            if (problem.Sample != null) call.Result["sample"] = Values.Out(problem.Sample);
            call.Result["error"] = Values.Out(problem);
        } catch (ObjectDisposedException closed) {
            call.Result["error"] = Call.Error(Status.State, closed.Message);
        } catch (ArgumentException refused) { // before C saw it
            call.Result["error"] = Call.Error(Status.Invalid, refused.Message);
        }
        return call.Result;
    }

    /// <summary>Counts the handles.  The collector takes a moment, and a forgotten runtime ends in the background.</summary>
    private static long Alive() {
        for (int attempt = 0; attempt < 500 && Library.Alive > 0; attempt++) {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(Library.Alive > 0 ? 10 : 0);
        }
        return Library.Alive;
    }
}

/// <summary>A call names what an earlier one failed to open.</summary>
internal sealed class Missing : Exception {
    internal Missing(string name) : base(name) {}
}

/// <summary>A call that is unknown, or cannot be made as it is written.</summary>
internal sealed class Fault : Exception {
    internal Fault(string message) : base(message) {}
}

/// <summary>Each call of protocol 1 by its name.</summary>
internal abstract class CallTable {
    internal static readonly Dictionary<Type, string> Members = new Dictionary<Type, string>();
    internal readonly SortedDictionary<string, Entry> Entries = new SortedDictionary<string, Entry>(StringComparer.Ordinal);

    /// <summary>A call: the handle that has the method, and the member of the result that its value is.</summary>
    internal sealed class Entry {
        internal string Receiver, Member;
        internal Func<Call, object> Value;
    }

    protected void Gives(string name, string receiver, string member, Func<Call, object> value) {
        Entries.Add(name, new Entry { Receiver = receiver, Member = member, Value = value });
    }

    protected void Does(string name, string receiver, Action<Call> action) {
        Gives(name, receiver, "", call => {
            action(call);
            return null;
        });
    }

    /// <summary>Returns null behind the last, as C does.</summary>
    protected static string At(IReadOnlyList<string> names, int index) {
        return 0 <= index && index < names.Count ? names[index] : null;
    }

    protected static int FeatureBits() {
        return Library.Features.Sum(feature => 1 << Array.IndexOf(Calls.FeatureNames.Split(' '), feature));
    }
}

/// <summary>A call's arguments by their names, and its result.  What is absent is "", 0, null.</summary>
internal sealed class Call : Values {
    internal readonly SortedDictionary<string, object> Result = new SortedDictionary<string, object>();
    private readonly Dictionary<string, object> things;
    private readonly List<Handle> order;
    private string receiver;

    internal Call(object arguments, Dictionary<string, object> things, List<Handle> order) : base(arguments) {
        this.things = things;
        this.order = order;
    }

    internal bool HasReport {
        get { return Equals(Given("report"), true); }
    }

    internal void Make(CallTable table) {
        if (!table.Entries.TryGetValue(Word("call"), out CallTable.Entry entry)) throw new Fault("an unknown call");
        receiver = entry.Receiver;
        object value = entry.Value(this);
        switch (entry.Member) {
            case "": break;
            case "as": Keep(Word("as"), value); break;
            case "recorded":
                Result["decision"] = Out(value);
                Keep(Word("decision"), value); // it goes on under its name
                break;
            case "next_ms": Result["next_ms"] = Out(value) ?? long.MaxValue; break;
            default: Take(entry.Member, value); break;
        }
    }

    private void Take(string member, object value) {
        if (value == null && member == "event") {
            Result["error"] = Error(Status.NoData, "no event came in time");
        } else if (value is Event taken) {
            Result["event"] = Out(taken);
            Take("decision", taken.Decision);
        } else if (value is Decision decision) {
            Result["decision"] = Out(decision);
            if (decision.Report != null) Result["report"] = decision.Report;
        } else if (value is Findings findings) {
            Set("report", findings.Report, "lines", findings.Lines);
            if (findings.Error != null) throw findings.Error;
        } else if (value is Diagnosis diagnosis) {
            Set("report", diagnosis.Report, "lines", diagnosis.Lines);
        } else if (value is Token token) {
            Set("token", token.Value, "info", Out(token));
        } else if (value is NodesPlan plan) {
            Set("summary", Out(plan), "json", plan.Report, "state", plan.NextState);
        } else {
            Result[member] = Out(value);
        }
        if (Has("as") && (value is Decision || value is Floor)) Keep(Word("as"), value);
    }

    private void Set(params object[] members) {
        for (int index = 0; index < members.Length; index += 2) Result[(string) members[index]] = members[index + 1];
    }

    /// <summary>Makes the error of a call that this package refuses by itself.</summary>
    internal static object Error(Status status, string message) {
        return new Dictionary<string, object> {
            { "status", (int) status }, { "action", 0 }, { "retryable", 0 }, { "http_status", 0 }, { "retry_at_ms", 0 },
            { "service_code", "" }, { "where", "" }, { "message", message }, { "detail", "" },
        };
    }

    private void Keep(string name, object thing) {
        if (thing is Handle handle) {
            if (things.ContainsKey(name)) throw new Fault("as: the name " + name + " is taken");
            order.Add(handle);
        }
        things[name] = thing;
    }

    internal T Named<T>(string role) {
        if (!things.TryGetValue(Word(role), out object thing)) throw new Missing(Word(role));
        return (T) thing;
    }

    internal T Handle<T>() {
        return Named<T>(receiver);
    }
}
