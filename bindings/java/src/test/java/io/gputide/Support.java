package io.gputide;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Helpers of the tests: a manifest, servers, programs of their own. */
final class Support {
    static final long NOW_MS = 1_795_255_200_000L;
    static final Instant NOW = Instant.ofEpochMilli(NOW_MS);
    static final String VALUES_TRIGGER =
            "{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\",\"activationThreshold\":\"2\"}}";
    static final int LEAK_ROUNDS = number("GPUTIDE_LEAK_ROUNDS", 1000);
    static final int CONCURRENT_MS = number("GPUTIDE_CONCURRENT_MS", 1000);

    private Support() {}

    private static int number(String variable, int otherwise) {
        String given = System.getenv(variable);
        return given == null ? otherwise : Integer.parseInt(given);
    }

    /** The folder of this binding. */
    static Path folder() {
        return Path.of(System.getProperty("gputide.java.dir", ".")).toAbsolutePath().normalize();
    }

    /** The policy of examples/c/numbers.c. */
    static String scaledObject() {
        return scaledObject("demo", VALUES_TRIGGER);
    }

    static String scaledObject(String name, String trigger) {
        return scaledObject(name, trigger, 20);
    }

    static String scaledObject(String name, String trigger, int most) {
        return ("{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"NAME\"},"
                        + "\"spec\":{\"scaleTargetRef\":{\"name\":\"NAME\"},\"minReplicaCount\":1,\"maxReplicaCount\":" + most
                        + ",\"triggers\":[TRIGGER]}}")
                .replace("NAME", name)
                .replace("TRIGGER", trigger);
    }

    static String prometheusTrigger(String address) {
        return "{\"type\":\"prometheus\",\"metadata\":{\"serverAddress\":\"" + address
                + "\",\"query\":\"load\",\"threshold\":\"5\"}}";
    }

    static Source source(String address) {
        return Source.open(prometheusTrigger(address));
    }

    /** /api/v1/query on loopback: each query has one value, which a test may change at any time. */
    static final class Prometheus implements AutoCloseable {
        final Map<String, Double> values = new ConcurrentHashMap<>();
        final String address;
        private final HttpServer server;

        Prometheus(Map<String, Double> values) throws IOException {
            this.values.putAll(values);
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/api/v1/query", this::answer);
            server.setExecutor(Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "prometheus");
                thread.setDaemon(true);
                return thread;
            }));
            server.start();
            address = "http://127.0.0.1:" + server.getAddress().getPort();
        }

        private void answer(HttpExchange exchange) throws IOException {
            byte[] body = answerTo(queryOf(exchange)).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }

        private static String queryOf(HttpExchange exchange) {
            for (String part : exchange.getRequestURI().getRawQuery().split("&")) {
                if (part.startsWith("query=")) {
                    return URLDecoder.decode(part.substring("query=".length()), StandardCharsets.UTF_8);
                }
            }
            return "";
        }

        private String answerTo(String query) {
            Double value = values.get(query);
            String row = value == null ? "" : "{\"metric\":{},\"value\":[" + NOW_MS / 1000.0 + ",\"" + value + "\"]}";
            return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" + row + "]}}";
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    /** A server that takes connections and never says a word. */
    static final class SilentPeer implements AutoCloseable {
        final String address;
        private final ServerSocket listener;

        SilentPeer() throws IOException {
            listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
            address = "http://127.0.0.1:" + listener.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** The result of a program of its own. */
    record Outcome(int status, String out, String err) {}

    /** The class path of these tests, without what runs them. */
    static String classPath() {
        return System.getProperty("gputide.test.path", System.getProperty("java.class.path"));
    }

    static Outcome java(List<String> options, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        return javaWith(classPath(), options, environment, command);
    }

    static Outcome javaWith(String path, List<String> options, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        line.addAll(List.of("-cp", path, "-Xshare:auto"));
        if (Runtime.version().feature() >= 24) {
            line.add("--enable-native-access=ALL-UNNAMED");
        }
        line.addAll(options);
        line.addAll(List.of(command));
        return run(line, environment);
    }

    static Outcome run(List<String> line, Map<String, String> environment) throws IOException, InterruptedException {
        Path out = Files.createTempFile("gputide", ".out");
        Path err = Files.createTempFile("gputide", ".err");
        try {
            ProcessBuilder builder = new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            environment.forEach((name, value) -> {
                if (value.isEmpty()) {
                    builder.environment().remove(name);
                } else {
                    builder.environment().put(name, value);
                }
            });
            Process process = builder.start();
            if (!process.waitFor(10, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException("it does not end: " + line);
            }
            return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    /** Handles that a test left open end up here. */
    static void waitForAlive(long wanted) throws InterruptedException {
        for (int round = 0; round < 1000 && Gputide.alive() != wanted; round++) {
            System.gc();
            Thread.sleep(5);
        }
    }
}
