package io.gputide;

import java.time.Duration;

/** Ends with everything open: a scaler in a fetch, a started runtime, waits for events.  Prints when its main ended. */
final class ExitProgram {
    private ExitProgram() {}

    interface Waiting {
        void run() throws InterruptedException;
    }

    public static void main(String[] arguments) throws Exception {
        Support.SilentPeer peer = new Support.SilentPeer();
        String manifest = Support.scaledObject("demo", Support.prometheusTrigger(peer.address));
        Scaler scaler = Scaler.open(manifest);
        ScalerRuntime runtime = ScalerRuntime.create();
        ScalerRuntime other = ScalerRuntime.create();
        Policy policy = Policy.open(Support.scaledObject());
        runtime.observe(runtime.add(manifest), Observation.of(3));
        runtime.start();
        daemon(() -> scaler.tick(Observation.of(1), Duration.ofSeconds(60)));
        daemon(() -> runtime.events().forEach(event -> {}));
        daemon(() -> other.nextEvent(Duration.ofSeconds(60)));
        Support.source(peer.address).fetchAsync(null, Duration.ofSeconds(60));
        Thread.sleep(300);
        System.out.println(System.currentTimeMillis() + " " + policy.metrics().size());
    }

    private static void daemon(Waiting waiting) {
        Thread thread = new Thread(() -> {
            try {
                waiting.run();
            } catch (InterruptedException | GputideException | IllegalStateException ended) {
                // as every wait does at the end of a program
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
