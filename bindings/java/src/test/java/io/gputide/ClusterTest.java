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

/** Access to a cluster without a runtime: its lists, its diagnosis, the size of a node pool. */
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

    private static Options withKubeconfig(Path folder, String address) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        Files.writeString(kubeconfig, "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"c\","
                + "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"c\",\"user\":\"u\"}}],\"clusters\":[{\"name\":\"c\",\"cluster\":"
                + "{\"server\":\"" + address + "\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"t\"}}]}");
        return Options.create().kubeconfig(kubeconfig.toString());
    }

    @Test
    void thePagesOfAClusterBecomeAPlan(@TempDir Path folder) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", ClusterTest::answer);
        server.start();
        try {
            Options options = withKubeconfig(folder, "http://127.0.0.1:" + server.getAddress().getPort());
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
    void theDoctorNamesAnApiServerThatIsNotThere(@TempDir Path folder) throws Exception {
        Options options = withKubeconfig(folder, "http://127.0.0.1:9");
        String settings = "{namespaces: [ml], lease: {namespace: ml}}";
        Diagnosis found = Gputide.doctorCluster(settings, options, PATIENCE);
        assertEquals("failed", found.report().object().get("verdict"));
        assertEquals("ml", found.report().object().get("namespace"));
        assertTrue(found.lines().startsWith("http://127.0.0.1:9: fails at step endpoint"), found.lines());
        assertEquals(found, Gputide.doctorClusterAsync(settings, options, PATIENCE).get());
        assertThrows(GputideException.Invalid.class, () -> Gputide.doctorCluster("nope: 1", options, PATIENCE));
    }

    /** A ScaledObject that KEDA looks after, and no HPA. */
    private static void answerForKeda(HttpExchange exchange) throws IOException {
        boolean isList = exchange.getRequestURI().getPath().endsWith("/horizontalpodautoscalers");
        String body = isList ? "{\"kind\":\"HorizontalPodAutoscalerList\",\"apiVersion\":\"autoscaling/v2\",\"metadata\":{},\"items\":[]}"
                : "{\"kind\":\"ScaledObject\",\"apiVersion\":\"keda.sh/v1alpha1\",\"metadata\":{\"name\":\"llm\",\"namespace\":\"ml\","
                        + "\"resourceVersion\":\"7\",\"finalizers\":[\"finalizer.keda.sh\"]}}";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void aDryHandoverSaysWhatItWouldDo(@TempDir Path folder) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", ClusterTest::answerForKeda);
        server.start();
        try {
            Options options = withKubeconfig(folder, "http://127.0.0.1:" + server.getAddress().getPort());
            String change = "{\"namespace\":\"ml\",\"name\":\"llm\",\"to\":\"gputide\"}";
            JsonText outcome = Gputide.handOver(change, options, PATIENCE);
            assertEquals("planned", outcome.object().get("result"));
            assertEquals(outcome, Gputide.handOverAsync(change, options, PATIENCE).get());
            assertThrows(GputideException.Invalid.class, () -> Gputide.handOver("name: llm", options, PATIENCE));
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
