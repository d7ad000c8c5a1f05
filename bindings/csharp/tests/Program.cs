using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using System;
using Gputide;

/// <summary>Runs the public static methods of the classes named ...Test, or those whose name holds an argument.  Exit status 1 if a test
/// fails.</summary>
internal static class Program {
    private static int Main(string[] arguments) {
        if (arguments.Length > 0 && arguments[0].StartsWith("--", StringComparison.Ordinal)) {
            return Programs.Run(arguments[0].Substring(2), arguments.Skip(1).ToArray());
        }
        MethodInfo[] tests = typeof(Program).Assembly.GetTypes().Where(type => type.Name.EndsWith("Test", StringComparison.Ordinal))
            .SelectMany(type => type.GetMethods(BindingFlags.Public | BindingFlags.Static))
            .Where(test => arguments.Length == 0 || arguments.Any(part => test.Name.Contains(part))).ToArray();
        int failed = tests.Count(test => !Passes(test));
        Console.WriteLine("{0} passed, {1} failed", tests.Length - failed, failed);
        return failed == 0 && tests.Length > 0 ? 0 : 1;
    }

    private static bool Passes(MethodInfo test) {
        string name = test.DeclaringType.Name + "." + test.Name;
        try {
            test.Invoke(null, null);
            Console.WriteLine("ok      " + name);
            return true;
        } catch (TargetInvocationException failure) {
            Console.WriteLine("FAILED  " + name + "\n" + failure.InnerException);
            return false;
        }
    }
}

/// <summary>What tests run in a process of its own: Tests.exe --NAME ARGUMENTS.</summary>
internal static class Programs {
    internal static int Run(string name, string[] arguments) {
        switch (name) {
            case "open": return Open(arguments);
            case "exit": return Exit();
            case "leak": return Leak(int.Parse(arguments[0]));
            case "fetch": return Fetch(arguments[0], arguments[1]);
            default: throw new ArgumentException(name);
        }
    }

    private static int Open(string[] arguments) {
        Console.WriteLine(new Observation(5).Current); // a class that needs no library works without one
        if (arguments.Length > 0) Library.Load(arguments[0]);
        Console.WriteLine(Library.Version);
        return 0;
    }

    /// <summary>Ends while calls of every kind wait.</summary>
    private static int Exit() {
        var peer = new Server(isSilent: true);
        string manifest = Support.ScaledObject("demo", Support.Prometheus(peer.Address));
        TimeSpan minute = TimeSpan.FromMinutes(1);
        var runtime = new ScalerRuntime();
        runtime.Observe(runtime.Add(manifest), new Observation(3));
        runtime.Start();
        runtime.NextEventAsync(minute);
        new ScalerRuntime().NextEventAsync(minute);
        Scaler.Open(manifest).TickAsync(new Observation(1), minute);
        LogReader.Open().NextAsync(minute);
        Policy policy = Policy.Open(Support.ScaledObject());
        Thread.Sleep(300);
        Console.WriteLine(Moment.Now.UnixMs + " " + policy.Metrics.Count);
        return 0;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Mallinfo {
        internal ulong arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
    }

    [DllImport("libc.so.6")] private static extern Mallinfo mallinfo2();

    private static long Allocated() {
        Mallinfo info = mallinfo2();
        return (long) (info.uordblks + info.hblkhd);
    }

    /// <summary>Prints by how many bytes a round of each opener grows C's heap.</summary>
    private static int Leak(int rounds) {
        foreach (var opener in Openers.All) {
            for (int round = 0; round < 200; round++) opener.Value().Dispose();
            long before = Allocated();
            for (int round = 0; round < rounds; round++) opener.Value().Dispose();
            Console.WriteLine(opener.Key + " " + (Allocated() - before) / rounds);
        }
        for (int round = 0; round < 200; round++) Fails();
        long start = Allocated();
        for (int round = 0; round < rounds; round++) Fails();
        Console.WriteLine("failed " + (Allocated() - start) / rounds);
        Console.WriteLine("alive " + Library.Alive);
        return 0;
    }

    private static void Fails() {
        Support.Throws<GputideException.Invalid>(() => Policy.Open(Support.ScaledObject().Replace("\"5\"", "\"many\"")));
    }

    private static int Fetch(string address, string caFile) {
        using (Source source = Source.Open(Support.Prometheus(address), new Options { CaFile = caFile })) {
            Console.WriteLine(source.Fetch().Value);
        }
        return 0;
    }
}
