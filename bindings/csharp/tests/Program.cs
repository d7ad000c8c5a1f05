using System;
using System.Linq;
using System.Reflection;

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
