package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from and written to a cluster without a runtime: its lists, and the size of a node pool. */
final class ClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** One node on each of two pages of nodes; nothing else may be read. */
    private static void answer(HttpExchange exchange) throws IOException {
        boolean isLast = exchange.getRequestURI().getQuery().endsWith("&continue=2");
        String body = "{\"kind\":\"NodeList\",\"metadata\":{" + (isLast ? "" : "\"continue\":\"2\"") + "},\"items\":[{\"metadata\":{\"name\":\""
                + (isLast ? "two" : "one") + "\"},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}}]}";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(exchange.getRequestURI().getPath().equals("/api/v1/nodes") ? 200 : 403, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void thePagesOfAClusterBecomeAPlan(@TempDir Path folder) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", ClusterTest::answer);
        server.start();
        try {
            Path kubeconfig = folder.resolve("kubeconfig");
            Files.writeString(kubeconfig, "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"c\","
                    + "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"c\",\"user\":\"u\"}}],\"clusters\":[{\"name\":\"c\",\"cluster\":"
                    + "{\"server\":\"http://127.0.0.1:" + server.getAddress().getPort() + "\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"t\"}}]}");
            Options options = Options.create().kubeconfig(kubeconfig.toString());
            String lists = Gputide.listCluster("/api/v1/nodes", options, PATIENCE);
            assertEquals(lists, Gputide.listClusterAsync("/api/v1/nodes", options, PATIENCE).get());
            List<?> nodes = (List<?>) NodesPlan.of(lists, "", Support.NOW).report().object().get("nodes");
            assertEquals(2, nodes.size());
            assertThrows(GputideException.Forbidden.class, () -> Gputide.listCluster("/api/v1/pods", options, PATIENCE));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void whatIsNoCollectionAndNoClusterIsRefused() {
        GputideException.Invalid wrong =
                assertThrows(GputideException.Invalid.class, () -> Gputide.listCluster("/healthz", null, PATIENCE));
        assertTrue(wrong.getMessage().contains("/api/v1/nodes"), wrong.getMessage());
        try (Credential credential = Credential.open("provider: azure-cli", Options.create().allowedPrograms("az"))) {
            assertThrows(GputideException.Invalid.class,
                    () -> credential.writeAgentPool("{\"cluster\":\"aks\",\"pool\":\"gpunp\"}", PATIENCE));
        }
    }
}
