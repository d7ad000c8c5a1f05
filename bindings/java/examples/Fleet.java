// A fleet of scalers in one runtime: their triggers are polled side by side, each decision that matters is an event.
//   java -cp gputide.jar Fleet.java ADDRESS SECONDS     ADDRESS: of a Prometheus, or of what answers /api/v1/query as it does
import io.gputide.Event;
import io.gputide.Observation;
import io.gputide.RuntimeOptions;
import io.gputide.ScalerRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

class Fleet {
    private static final String MANIFEST = """
            apiVersion: keda.sh/v1alpha1
            kind: ScaledObject
            metadata:
              name: NAME
              annotations: {gputide.io/sync-period: 1s}
            spec:
              scaleTargetRef: {name: NAME}
              minReplicaCount: 1
              maxReplicaCount: 10
              pollingInterval: 1
              triggers:
                - type: prometheus
                  metadata: {serverAddress: "ADDRESS", query: 'queue_length{model="NAME"}', threshold: "4"}
            """;

    /** Here a host would write to Kubernetes, to a batch system, to its own table of processes. */
    private static boolean resize(String name, int replicas) {
        System.out.println(name + " now has " + replicas + " replicas");
        return true;
    }

    public static void main(String[] arguments) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try (ScalerRuntime runtime = ScalerRuntime.create(RuntimeOptions.create().startSpread(Duration.ofMillis(200)))) {
            for (String name : List.of("chat", "embed", "rerank")) {
                long id = runtime.add(MANIFEST.replace("NAME", name).replace("ADDRESS", arguments[0]));
                runtime.observe(id, Observation.of(1));
            }
            Thread loop = Thread.currentThread();
            timer.schedule(loop::interrupt, Long.parseLong(arguments[1]), TimeUnit.SECONDS);
            for (Event event : runtime.events()) { // until the thread is interrupted
                if (event.wantsWrite()) {
                    runtime.record(event, resize(event.name(), event.desired()));
                }
            }
            System.out.println(runtime.stats().object().get("polls") + " polls");
        } finally {
            timer.shutdown();
        }
    }
}
