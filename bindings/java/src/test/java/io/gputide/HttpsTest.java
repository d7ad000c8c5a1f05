package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One https fetch with a CA file of its own, inside a virtual machine, and which OpenSSL it used. */
final class HttpsTest {
    /** libcurl or OpenSSL bound to something that the virtual machine brings. */
    private static final Pattern FOREIGN = Pattern.compile("binding file \\S*/lib(?:curl|ssl|crypto|gputide)\\S* \\[\\d+] to "
            + "\\S*(?:/java|/lib/jvm/\\S*|/libj\\w+\\.so) \\[\\d+]: normal symbol `((?:SSL|EVP|X509|BIO|curl|nghttp2)_\\w+)'");

    @TempDir
    Path folder;

    private Path certificate;
    private HttpsServer server;
    private String address;

    @BeforeEach
    void serve() throws Exception {
        certificate = folder.resolve("ca.pem");
        Path key = folder.resolve("key.pem");
        Path store = folder.resolve("store.p12");
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key.toString(), "-out", certificate.toString());
        openssl("pkcs12", "-export", "-in", certificate.toString(), "-inkey", key.toString(), "-out", store.toString(),
                "-passout", "pass:secret");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream stream = Files.newInputStream(store)) {
            keys.load(stream, "secret".toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "secret".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            byte[] body = ("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":{},\"value\":["
                            + Support.NOW_MS / 1000.0 + ",\"42.5\"]}]}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        address = "https://127.0.0.1:" + server.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static void openssl(String... arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of("openssl"));
        line.addAll(List.of(arguments));
        Support.Outcome done = Support.run(line, Map.of());
        assertEquals(0, done.status(), done.err());
    }

    @Test
    void aCaFileIsTrustedAndNothingElse() throws Exception {
        assertEquals("42.5\n", Support.java(List.of(), Map.of(), "io.gputide.Programs$Fetch", address, certificate.toString()).out());
        Support.Outcome refused =
                Support.java(List.of(), Map.of(), "io.gputide.Programs$Fetch", address, "/etc/ssl/certs/ca-certificates.crt");
        assertNotEquals(0, refused.status());
        assertTrue(refused.err().contains("GputideException$Security"), refused.err());
    }

    @Test
    void noSymbolOfLibcurlOrOpensslIsTheVirtualMachines() throws Exception {
        Path log = folder.resolve("bindings");
        Support.Outcome done = Support.java(List.of(), Map.of("LD_DEBUG", "bindings", "LD_DEBUG_OUTPUT", log.toString()),
                "io.gputide.Programs$Fetch", address, certificate.toString());
        assertEquals("42.5\n", done.out(), done.err());
        StringBuilder text = new StringBuilder();
        try (var files = Files.newDirectoryStream(folder, "bindings.*")) {
            for (Path file : files) {
                text.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        assertTrue(text.indexOf("libgputide-full.so") > 0);
        Matcher foreign = FOREIGN.matcher(text);
        assertTrue(!foreign.find(), () -> foreign.group(1));
    }
}
