using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text;
using Gputide;

/// <summary>Reads the members of an object of protocol 1 as this package's values, and writes these values as JSON.</summary>
internal class Values {
    private readonly Dictionary<string, object> arguments;

    internal Values(object arguments) {
        this.arguments = (Dictionary<string, object>) arguments;
    }

    // ---- what is read

    internal object Given(string name) {
        return arguments.TryGetValue(name, out object value) ? value : null;
    }

    internal bool Has(string name) {
        return arguments.ContainsKey(name);
    }

    private static decimal Integer(object value) {
        return value is string digits ? decimal.Parse(digits, CultureInfo.InvariantCulture) : (decimal) value;
    }

    /// <summary>Reads 64 bits, with or without a sign.</summary>
    internal long Number(string name) {
        decimal value = Integer(Given(name) ?? 0m);
        return value > long.MaxValue ? (long) (ulong) value : (long) value;
    }

    /// <summary>Reads 32 bits, with or without a sign.</summary>
    internal long Small(string name) {
        long value = Number(name);
        if (value < int.MinValue || value > uint.MaxValue) throw new Fault(name + ": more than 32 bits");
        return value;
    }

    internal bool Truth(string name) {
        return Number(name) != 0;
    }

    private static double Real(object value) {
        if (!(value is string word)) return Convert.ToDouble(value, CultureInfo.InvariantCulture);
        return word == "NaN" ? double.NaN : word == "+Inf" ? double.PositiveInfinity : double.NegativeInfinity;
    }

    internal double Real(string name) {
        return Real(Given(name) ?? 0m);
    }

    internal Text Text(string name) {
        object value = Given(name) ?? "";
        return value is string word ? word : (Text) Bytes(value);
    }

    private static byte[] Bytes(object value) {
        return Convert.FromBase64String((string) new Values(value).Given("b64"));
    }

    internal string Word(string name) {
        object value = Given(name) ?? "";
        return value as string ?? Encoding.UTF8.GetString(Bytes(value));
    }

    internal Moment Time(string name) {
        return Moment.At(Number(name));
    }

    internal TimeSpan Span(string name) {
        return TimeSpan.FromTicks(Number(name) * TimeSpan.TicksPerMillisecond);
    }

    private T[] Each<T>(string name, Func<object, T> read) {
        return ((List<object>) Given(name) ?? new List<object>()).Select(read).ToArray();
    }

    internal double[] Reals(string name) {
        return Each(name, Real);
    }

    internal long[] Integers(string name) {
        return Each(name, number => (long) Integer(number));
    }

    internal Options Options(string name) {
        return Has(name) ? new Values(Given(name)).Filled(new Options(), Calls.OptionFlags) : null;
    }

    internal RuntimeOptions RuntimeOptions(string name) {
        return Has(name) ? new Values(Given(name)).Filled(new RuntimeOptions(), Calls.RuntimeFlags) : null;
    }

    internal Sample[] Samples(string name) {
        return Each(name, given => new Values(given).Sample());
    }

    private Sample Sample() {
        var sample = new Sample(Has("value") ? Real("value") : (double?) null);
        if (Has("value")) sample.State = SampleState.Ok;
        sample.IsNullAsZero = Truth("flags");
        arguments.Remove("value");
        return Filled(sample, "");
    }

    internal UsageSample[] UsageSamples(string name) {
        return Each(name, given => new Values(given).UsageSample());
    }

    private UsageSample UsageSample() {
        long flags = Number("flags");
        return new UsageSample {
            Time = Time("time_ms"),
            Container = (uint) Small("container"),
            Unit = (uint) Small("unit"),
            Busy = (flags & 1) == 0 ? (double?) null : Real("busy"),
            MemoryBytes = (flags & 6) == 0 ? (long?) null : Number("memory_bytes"),
            IsOutOfMemory = (flags & 4) != 0,
        };
    }

    internal Observation Observation(string name) {
        return new Values(Given(name) ?? new Dictionary<string, object>()).Observation();
    }

    private Observation Observation() {
        long flags = Number("flags");
        Pod[] pods = Each("pods", given => new Values(given).Filled(new Pod { Phase = 0, Ready = 0 }, ""));
        return new Observation((int) Small("current_replicas"), Samples("samples")) {
            Now = Time("now_ms"),
            StatusReplicas = Truth("status_replicas") || (flags & 1) != 0 ? (int) Small("status_replicas") : (int?) null,
            ReadyReplicas = Truth("ready_replicas") || (flags & 2) != 0 ? (int) Small("ready_replicas") : (int?) null,
            IsUnreadable = (flags & 4) != 0,
            Message = (string) Given("message"),
            Pods = pods.Length > 0 || (flags & 8) != 0 ? pods : null,
            PodSamples = Each("pod_samples", given => new Values(given).Filled(new PodSample { ValueMilli = 0 }, "")),
        };
    }

    /// <summary>Sets the property of each flag and of each member: start_time_ms is StartTime.</summary>
    private T Filled<T>(T target, string flags) {
        string[] names = flags.Split(' ');
        if (flags != "" && Number("flags") >> names.Length != 0) throw new Fault("flags: bits without a name");
        for (int bit = 0; bit < names.Length && flags != ""; bit++) {
            typeof(T).GetProperty(Pascal(names[bit])).SetValue(target, (Number("flags") >> bit & 1) != 0);
        }
        foreach (string member in arguments.Keys.Where(name => name != "flags").ToArray()) {
            PropertyInfo property = Property(typeof(T), member);
            property.SetValue(target, Value(property.PropertyType, member));
        }
        return target;
    }

    private object Value(Type type, string member) {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type == typeof(string)) return Given(member);
        if (type == typeof(bool)) return Truth(member);
        if (type == typeof(Moment)) return Time(member);
        if (type == typeof(TimeSpan)) return Span(member);
        if (type == typeof(Text)) return Text(member);
        if (type == typeof(string[])) return Word(member).Split(',');
        if (type == typeof(long)) return Number(member);
        if (type == typeof(ulong)) return (ulong) Number(member);
        if (type == typeof(TextFile[])) return Each(member, given => new Values(given).File());
        return type.IsEnum ? Enum.ToObject(type, (int) Small(member)) : (object) (int) Small(member);
    }

    private TextFile File() {
        return new TextFile((string) Given("name"), Text("text"));
    }

    // ---- names

    private static string Pascal(string name) {
        return string.Concat(name.Split('_').Select(part => part.Substring(0, 1).ToUpperInvariant() + part.Substring(1)));
    }

    /// <summary>Finds the property of a member: now_ms is Now, current_replicas Current, window_s WindowSeconds, floor_load
    /// Load.</summary>
    private static PropertyInfo Property(Type type, string member) {
        var names = new List<string> { member, "is_" + member };
        foreach (string suffix in new[] { "_ms", "_at_ms", "_replicas" }) {
            if (member.EndsWith(suffix)) names.Add(member.Substring(0, member.Length - suffix.Length));
        }
        if (member.EndsWith("_s")) names.Add(member + "econds");
        if (member == "message") names.Add("what");
        names.Add(member.Substring(member.IndexOf('_') + 1));
        IEnumerable<PropertyInfo> found = names.Select(name => type.GetProperty(Pascal(name))).Where(property => property != null);
        return found.FirstOrDefault() ?? throw new Fault(type.Name + " has no " + member);
    }

    // ---- what is written

    internal static object Out(object value) {
        if (value is Enum number) return Convert.ToInt32(number);
        if (value is Reason reason) return reason.Number;
        if (value is Moment time) return time.UnixMs;
        if (value is Sample sample) return Struct(sample, "flags", sample.IsNullAsZero ? 1 : 0, "message", null);
        if (value is Decision decision) return Struct(decision, "conditions", Conditions(decision), "message", null);
        if (value is Floor floor) {
            return Struct(floor, "need_replicas", floor.NeedReplicas ?? -1, "floor_load", floor.Load ?? double.NaN);
        }
        if (value is GputideException problem) {
            return Struct(problem, "message", problem.What, "retryable", problem.IsRetryable ? 1 : 0);
        }
        return value != null && Calls.Members.ContainsKey(value.GetType()) ? Struct(value) : value;
    }

    /// <summary>Reads each member of a C struct by its property; others are pairs of a name and a value, null to leave it out.</summary>
    private static object Struct(object given, params object[] others) {
        var written = new SortedDictionary<string, object>();
        for (int index = 0; index < others.Length; index += 2) written[(string) others[index]] = others[index + 1];
        Type type = given is GputideException ? typeof(GputideException) : given.GetType();
        foreach (string member in Calls.Members[type].Split(' ')) {
            if (!written.ContainsKey(member)) {
                object value = Property(type, member).GetValue(given);
                written[member] = Out(value) ?? (member == "forecast_need" ? -1 : 0);
            }
        }
        foreach (string absent in written.Keys.Where(name => written[name] == null).ToArray()) written.Remove(absent);
        return written;
    }

    private static object Conditions(Decision decision) {
        var conditions = new List<object>();
        for (int index = 0; index < 16; index++) { // GPUTIDE_MAX_CONDITIONS
            decision.Conditions.TryGetValue((Condition) index, out ConditionState state);
            conditions.Add(Out(state));
        }
        return conditions;
    }
}
