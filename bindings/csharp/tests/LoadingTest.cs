using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using System;
using Gputide;

/// <summary>How the library is found, and the raw layer beside abi.json.</summary>
internal static class LoadingTest {
    private static string Stub(Folder folder, int abi, int release) {
        string path = folder["libgputide-" + abi + "-" + release + ".so"];
        string source = Path.Combine(Support.Source, "../../tests/bindings/stub.c");
        Support.Outcome done = Support.Run(Environment.GetEnvironmentVariable("CC") ?? "cc",
            "-shared -fPIC -DABI=" + abi + " -DRELEASE=" + release + " -o " + path + " " + source);
        Support.Same(0, done.Status);
        return path;
    }

    public static void WrongAbiAndOtherWrongLibrariesAreNamedWithTheRemedy() {
        using (var folder = new Folder()) {
            Refuses(Stub(folder, 99, 99000000), "ABI 99: a newer release");
            Refuses(Stub(folder, 0, 1000), "ABI 0: an older release");
            Refuses(Stub(folder, 1, 1007), "release 0.1.7: too old");
            Refuses(Stub(folder, 1, 3000), "release 0.3.0 is incomplete");
        }
    }

    private static void Refuses(string path, string problem) {
        Support.Outcome done = Support.Mono("Tests.exe", "--open", "GPUTIDE_LIBRARY", path);
        Support.That(done.Status != 0, "exit status");
        Support.Contains(done.Error, "gputide: no usable libgputide-full.so.1 for ABI 1, release 0.3.0 or newer. Tried:");
        Support.Contains(done.Error, "GPUTIDE_LIBRARY=" + path + "   " + problem);
        Support.Contains(done.Error, "Install Debian's libgputide-full1, or set GPUTIDE_LIBRARY");
    }

    public static void MissingLibrariesAreListedByPlace() {
        Support.Outcome done = Support.Mono("Tests.exe", "--open", "GPUTIDE_LIBRARY", "");
        Support.Same("5", done.Output.Trim()); // a class that needs no library works without one
        Support.Contains(done.Error, Path.Combine(Support.Built, "libgputide-full.so.1") + "   there is no such file");
        Support.Contains(done.Error, "libgputide-full.so.1 (the system's search)   libgputide-full.so.1: cannot open");
    }

    public static void MissingFilesThatWereNamedAreFinal() {
        const string nowhere = "/nonexistent/libgputide-full.so.1";
        foreach (string error in new[] {
            Support.Mono("Tests.exe", "--open", "GPUTIDE_LIBRARY", nowhere).Error, Support.Mono("Tests.exe", "--open " + nowhere).Error,
        }) {
            Support.Contains(error, nowhere + "   there is no such file");
            Support.That(!error.Contains("the system's search"), error);
        }
    }

    public static void ABundledFileIsFound() {
        using (var folder = new Folder()) {
            foreach (string name in new[] { "Tests.exe", "Gputide.dll" }) File.Copy(Path.Combine(Support.Built, name), folder[name]);
            string package = folder["runtimes/linux-" + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant() + "/native"];
            foreach (string place in new[] { package, folder.Path }) {
                Directory.CreateDirectory(place);
                File.Copy(Library.Path, Path.Combine(place, "libgputide-full.so.1"));
                Support.Outcome done = Support.Run("mono", folder["Tests.exe"] + " --open", "GPUTIDE_LIBRARY", "");
                Support.Same("5\n" + Library.Version, done.Output.Trim());
            }
        }
    }

    public static void LoadTakesTheFileThatIsOpenAlreadyAndNoOther() {
        Library.Load(Library.Path);
        using (var folder = new Folder()) {
            File.WriteAllText(folder["other.so"], "");
            var refused = Support.Throws<DllNotFoundException>(() => Library.Load(folder["other.so"]));
            Support.Contains(refused.Message, "is open already");
        }
    }

    private static IEnumerable<Dictionary<string, object>> Entities(string kind) {
        var abi = (Dictionary<string, object>) Json.Parse(File.ReadAllText(Path.Combine(Support.Source, "../abi.json")));
        return ((List<object>) abi[kind]).Cast<Dictionary<string, object>>();
    }

    private static IEnumerable<Dictionary<string, object>> Members(Dictionary<string, object> entity) {
        return ((List<object>) entity["members"]).Cast<Dictionary<string, object>>();
    }

    public static void EachMirrorLiesAsAbiJsonSays() {
        Assembly assembly = typeof(Library).Assembly;
        int compared = 0;
        foreach (var structure in Entities("structs").Where(each => !Members(each).Any(member => member.ContainsKey("callback")))) {
            Type mirror = assembly.GetType("Gputide." + structure["name"], true);
            Support.Same((int) (decimal) structure["size_bytes"], Marshal.SizeOf(mirror));
            foreach (var member in Members(structure)) {
                FieldInfo field = mirror.GetField((string) member["name"], BindingFlags.NonPublic | BindingFlags.Instance);
                Support.Same((int) (decimal) member["offset_bytes"], (int) Marshal.OffsetOf(mirror, field.Name));
                Support.Same((int) (decimal) member["size_bytes"], Marshal.SizeOf(field.FieldType));
                compared++;
            }
        }
        Support.That(compared > 100, "members compared: " + compared);
    }

    public static void EveryFunctionIsInTheLibrary() {
        MethodInfo function = typeof(Library).GetMethod("Function", BindingFlags.NonPublic | BindingFlags.Static);
        foreach (Type kind in typeof(Library).Assembly.GetType("Gputide.Native").GetNestedTypes(BindingFlags.NonPublic)) {
            if (!kind.Name.EndsWith("_type", StringComparison.Ordinal)) continue;
            string name = "gputide_" + kind.Name.Substring(0, kind.Name.Length - "_type".Length);
            function.MakeGenericMethod(kind).Invoke(null, new object[] { name, null });
        }
    }

    public static void EveryEnumAndEveryNumberIsThere() {
        foreach (var kind in Entities("enums").Where(each => !(bool) each["flags"])) {
            string name = (string) kind["name"] == "action" ? "NextAction" : Pascal((string) kind["name"]);
            Type type = typeof(Library).Assembly.GetType("Gputide." + name, true);
            foreach (var member in Members(kind)) {
                Support.Same((int) (decimal) member["value"], (int) Enum.Parse(type, Pascal((string) member["short"])));
            }
        }
    }

    private static string Pascal(string name) {
        return string.Concat(name.ToLowerInvariant().Split('_').Select(part => char.ToUpperInvariant(part[0]) + part.Substring(1)));
    }

    public static void TheVersionIsOne() {
        Support.Contains(File.ReadAllText(Path.Combine(Support.Source, "Gputide.csproj")), "<Version>" + Library.Version + "</Version>");
    }
}

/// <summary>One https fetch with its own CA file, and the OpenSSL that it used.</summary>
internal static class HttpsTest {
    private const string Program = @"
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{""status"":""success"",""data"":{""resultType"":""vector"",""result"":[{""metric"":{},""value"":[1,""42.5""]}]}}'
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
";

    /// <summary>Serves with a new certificate; the action takes the address and the certificate's file.</summary>
    private static void Serve(Folder folder, Action<string, string> action) {
        string certificate = folder["ca.pem"], key = folder["key.pem"], program = folder["server.py"];
        Support.Same(0, Support.Run("openssl", "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext "
            + "subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout " + key + " -out " + certificate).Status);
        File.WriteAllText(program, Program);
        var start = new ProcessStartInfo("python3", program + " " + certificate + " " + key) {
            UseShellExecute = false, RedirectStandardOutput = true,
        };
        using (Process server = Process.Start(start)) {
            try {
                action("https://127.0.0.1:" + server.StandardOutput.ReadLine(), certificate);
            } finally {
                server.Kill();
                server.WaitForExit();
            }
        }
    }

    public static void ACaFileIsTrustedAndNothingElse() {
        using (var folder = new Folder()) {
            Serve(folder, (address, certificate) => {
                Support.Outcome done = Support.Mono("Tests.exe", "--fetch " + address + " " + certificate);
                Support.Same("42.5", done.Output.Trim());
                Support.Outcome refused = Support.Mono("Tests.exe", "--fetch " + address + " /etc/ssl/certs/ca-certificates.crt");
                Support.That(refused.Status != 0, "exit status");
                Support.Contains(refused.Error, "GputideException+Security");
            });
        }
    }

    public static void NoSymbolOfLibcurlOrOpenSslIsTheRuntimes() {
        var foreign = new Regex(@"binding file \S*/lib(?:curl|ssl|crypto|gputide)\S* \[\d+\] to \S*/(?:mono\S*|libmono\S*|libMono\S*)"
            + @" \[\d+\]: normal symbol `((?:SSL|EVP|X509|BIO|curl|nghttp2)_\w+)'");
        using (var folder = new Folder()) {
            Serve(folder, (address, certificate) => {
                Support.Outcome done = Support.Mono("Tests.exe", "--fetch " + address + " " + certificate,
                    "LD_DEBUG", "bindings", "LD_DEBUG_OUTPUT", folder["bindings"]);
                Support.Same("42.5", done.Output.Trim());
                string log = string.Concat(Directory.GetFiles(folder.Path, "bindings.*").Select(File.ReadAllText));
                Support.Contains(log, "libgputide-full.so");
                Support.Same("", foreign.Match(log).Groups[1].Value);
            });
        }
    }
}
