package io.gputide;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Programs of their own that tests run: Support.java("io.gputide.Programs$Exit"). */
final class Programs {
    private Programs() {}

    /** Ends with everything open: a scaler in a fetch, a started runtime, waits for events.  Prints when its main ended. */
    static final class Exit {
        private Exit() {}

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

    /** One value from an address, with roots of its own.  Prints it. */
    static final class Fetch {
        private Fetch() {}

        public static void main(String[] arguments) throws InterruptedException {
            Options options = Options.create().caFile(arguments[1]);
            try (Source source = Source.open(Support.prometheusTrigger(arguments[0]), options)) {
                System.out.println(source.fetch(null, Duration.ofSeconds(20)).value().getAsDouble());
            }
        }
    }

    /** Opens and closes each kind of handle so often as is said; prints how many KiB that took. */
    static final class Leak {
        private Leak() {}

        public static void main(String[] arguments) throws IOException {
            int rounds = Integer.parseInt(arguments[0]);
            for (var opener : Openers.ALL.entrySet()) {
                System.out.println(opener.getKey() + " " + growth(rounds, () -> opener.getValue().get().close()));
            }
            System.out.println("failed " + growth(rounds / 4, Leak::fail));
            System.out.println("alive " + Gputide.alive());
        }

        private static long growth(int rounds, Runnable round) throws IOException {
            for (int index = 0; index < rounds / 2; index++) {
                round.run();
            }
            long before = residentKib();
            for (int index = 0; index < rounds; index++) {
                round.run();
            }
            return residentKib() - before;
        }

        private static void fail() {
            String wrong = "kind: nothing of this kind";
            List<Supplier<Handle>> openings = List.of(
                    () -> Policy.open(wrong), () -> Scaler.open(wrong), () -> Source.open(wrong), () -> Credential.open(wrong),
                    () -> Replay.open(wrong), () -> Forecast.open(wrong));
            for (Supplier<Handle> opening : openings) {
                try (Handle handle = opening.get()) {
                    throw new AssertionError("opened: " + handle);
                } catch (GputideException expected) {
                    // as it should be
                }
            }
        }

        private static long residentKib() throws IOException {
            System.gc();
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            throw new IOException("no VmRSS");
        }
    }

    /** Decides in three class loaders of one JVM, all of which stay. */
    static final class Loaders {
        private Loaders() {}

        /** Code that each class loader runs with classes of its own. */
        public static final class Decides implements Runnable {
            private String said;

            @Override
            public void run() {
                try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState()) {
                    Decision decision = state.decide(Observation.of(3).values(42.5));
                    said = decision.current() + " -> " + decision.desired();
                }
            }

            @Override
            public String toString() {
                return said;
            }
        }

        public static void main(String[] arguments) throws Exception {
            List<URL> places = new ArrayList<>();
            for (String place : arguments[0].split(File.pathSeparator)) {
                places.add(new File(place).toURI().toURL());
            }
            List<URLClassLoader> loaders = new ArrayList<>();
            for (int index = 0; index < 3; index++) {
                URLClassLoader loader = new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
                loaders.add(loader);
                var constructor = loader.loadClass("io.gputide.Programs$Loaders$Decides").getDeclaredConstructor();
                constructor.setAccessible(true);
                Runnable decides = (Runnable) constructor.newInstance();
                decides.run();
                System.out.println(index + ": " + decides);
            }
            for (URLClassLoader loader : loaders) {
                loader.close();
            }
        }
    }

    /** Uses what needs no library, then opens one: by the places, or the path that is given.  Prints both. */
    static final class Opening {
        private Opening() {}

        public static void main(String[] arguments) {
            System.out.println("loaded " + Limit.MIN.number());
            if (arguments.length > 0) {
                Gputide.load(Path.of(arguments[0]));
            }
            System.out.println(Gputide.version());
        }
    }
}
