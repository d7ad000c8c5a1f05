using System.IO;
using System.Linq;

/// <summary>The programs of examples, and the README's.</summary>
internal static class ExamplesTest {
    public static void ShortIsTheWayFromAManifestToADecision() {
        string[] lines = File.ReadAllLines(Path.Combine(Support.Source, "examples/First.cs"));
        Support.That(lines.Count(line => line.Trim() != "") <= 15, "lines");
        using (var server = new Server())
        using (var folder = new Folder()) {
            server.Values["load"] = 42.5;
            File.WriteAllText(folder["so.json"], Support.ScaledObject("demo", Support.Prometheus(server.Address)));
            Support.Same("3 -> 6 scale_up_limit\n", Run("First.exe", folder["so.json"] + " 3"));
        }
    }

    private static string Run(string program, string arguments) {
        Support.Outcome done = Support.Mono(program, arguments);
        Support.That(done.Status == 0, done.Output + done.Error);
        return done.Output;
    }

    public static void TheReadmesFirstProgramIsThatOne() {
        string program = File.ReadAllText(Path.Combine(Support.Source, "examples/First.cs"));
        Support.Contains(File.ReadAllText(Path.Combine(Support.Source, "README.md")), program);
    }

    public static void NumbersAlone() {
        string[] lines = Run("NumbersAlone.exe", "").Split('\n');
        Support.Same("3 -> 6, proposed 9, limited by ScaleUp", lines[0]);
        Support.Same("6 -> 9, proposed 9, limited by None", lines[1]);
        Support.That(lines.Contains("Trace:"), string.Join("\n", lines));
    }

    public static void AFleet() {
        using (var server = new Server()) {
            server.Values["queue_length{model=\"chat\"}"] = 30;
            server.Values["queue_length{model=\"embed\"}"] = 9;
            server.Values["queue_length{model=\"rerank\"}"] = 2;
            string output = Run("Fleet.exe", server.Address + " 4");
            Support.Contains(output, "default/chat now has");
            Support.Contains(output, "default/embed now has 3 replicas");
        }
    }
}
