// A deployment of workers that follows its own load: requests wait in a queue, a page says how many there are, and a plain loop in a
// thread of its own asks gputide how many workers there should be.  The loop's thread is a virtual one where Java has them (21).
//   java -cp gputide.jar Serve.java [SECONDS]     30 unless said
// Prints each change of size, and the largest and the last one; exit status 1 where the load was not followed up and down.
import com.sun.net.httpserver.HttpServer;
import io.gputide.Decision;
import io.gputide.GputideException;
import io.gputide.Observation;
import io.gputide.Scaler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

class Serve {
    private static final String MANIFEST = """
            apiVersion: keda.sh/v1alpha1
            kind: ScaledObject
            metadata:
              name: embedder
              annotations: {gputide.io/sync-period: 1s}
            spec:
              scaleTargetRef: {name: embedder}
              minReplicaCount: 1
              maxReplicaCount: 5
              pollingInterval: 1
              advanced:
                horizontalPodAutoscalerConfig:
                  behavior:
                    scaleDown: {stabilizationWindowSeconds: 3, policies: [{type: Pods, value: 2, periodSeconds: 1}]}
              triggers:
                - type: metrics-api
                  metadata: {url: "ADDRESS", format: prometheus, valueLocation: ongoing_requests, targetValue: "4"}
            """;

    /** Workers on one queue; each request costs one of them 100 ms. */
    private static final class Deployment {
        private final BlockingQueue<Integer> requests = new LinkedBlockingQueue<>();
        private final AtomicInteger ongoing = new AtomicInteger();
        private final Deque<Thread> workers = new ArrayDeque<>();

        void send() {
            ongoing.incrementAndGet();
            requests.add(1);
        }

        int ongoing() {
            return ongoing.get();
        }

        synchronized int replicas() {
            return workers.size();
        }

        synchronized boolean resize(int replicas) {
            while (workers.size() < replicas) {
                Thread worker = new Thread(this::work, "worker");
                worker.setDaemon(true);
                worker.start();
                workers.add(worker);
            }
            while (workers.size() > replicas) {
                workers.remove().interrupt();
            }
            return true;
        }

        private void work() {
            try {
                while (true) {
                    requests.take();
                    ongoing.decrementAndGet();
                    Thread.sleep(100);
                }
            } catch (InterruptedException told) {
                // to end
            }
        }
    }

    private static HttpServer page(Deployment deployment) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            String page = "# TYPE ongoing_requests gauge\nongoing_requests " + deployment.ongoing() + "\n";
            byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    /** The whole control loop: look, decide, write, record whether it succeeded, wait. */
    private static void follow(Scaler scaler, Deployment deployment, AtomicInteger largest) {
        try {
            while (true) {
                Decision decision = scaler.tick(Observation.of(deployment.replicas()), Duration.ofSeconds(5));
                if (decision.wantsWrite()) {
                    scaler.record(decision, deployment.resize(decision.desired()));
                    largest.accumulateAndGet(decision.desired(), Math::max);
                    System.out.println(decision.current() + " -> " + decision.desired() + ", " + deployment.ongoing() + " requests");
                }
                Thread.sleep(Math.max(1, Duration.between(Instant.now(), decision.nextDue()).toMillis()));
            }
        } catch (InterruptedException told) {
            // to end
        } catch (GputideException | IllegalStateException closed) {
            System.out.println("the loop ends: " + closed.getMessage());
        }
    }

    private static Thread loop(Runnable task) throws InterruptedException {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException older) {
            Thread thread = new Thread(task, "loop");
            thread.start();
            return thread;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 30;
        Deployment deployment = new Deployment();
        AtomicInteger largest = new AtomicInteger();
        deployment.resize(1);
        HttpServer page = page(deployment);
        String address = "http://127.0.0.1:" + page.getAddress().getPort() + "/metrics";
        try (Scaler scaler = Scaler.open(MANIFEST.replace("ADDRESS", address))) {
            Thread loop = loop(() -> follow(scaler, deployment, largest));
            long started = System.nanoTime();
            while (System.nanoTime() - started < seconds * 400_000_000L) { // first more than one worker can do, then nothing
                for (int request = 0; request < 3; request++) {
                    deployment.send();
                }
                Thread.sleep(100);
            }
            while (deployment.replicas() > 1 && System.nanoTime() - started < seconds * 2_000_000_000L) {
                Thread.sleep(100);
            }
            loop.interrupt();
            loop.join();
        } finally {
            page.stop(0);
        }
        System.out.println("largest " + largest + ", at last " + deployment.replicas());
        System.exit(largest.get() >= 3 && deployment.replicas() == 1 ? 0 : 1);
    }
}
