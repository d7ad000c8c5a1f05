using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

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
