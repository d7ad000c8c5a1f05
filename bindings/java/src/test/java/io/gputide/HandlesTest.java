package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** leak, order, closed, exit: how long handles live. */
final class HandlesTest {
    private static final Logger LOG = Logger.getLogger("io.gputide");

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final java.util.logging.Handler keeper = new java.util.logging.Handler() {
        @Override
        public void publish(LogRecord line) {
            warnings.add(new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void keepWarnings() {
        LOG.setUseParentHandlers(false);
        LOG.addHandler(keeper);
    }

    @AfterEach
    void leaveWarnings() {
        LOG.removeHandler(keeper);
        LOG.setUseParentHandlers(true);
    }

    @Test
    void leakOpeningAndClosingTakesNoMemory() throws Exception {
        // Without what a virtual machine takes for itself: no compiler, a heap of a fixed size.
        List<String> options = List.of("-Xint", "-Xms64m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch");
        Support.Outcome done = Support.java(options, Map.of("MALLOC_ARENA_MAX", "1"), "io.gputide.Programs$Leak",
                String.valueOf(Support.LEAK_ROUNDS));
        assertEquals(0, done.status(), done.err());
        List<String> lines = done.out().lines().toList();
        assertEquals(Openers.ALL.size() + 2, lines.size(), done.out());
        for (String line : lines.subList(0, lines.size() - 1)) {
            assertTrue(Long.parseLong(line.split(" ")[1]) < 1024, done.out());
        }
        assertEquals("alive 0", lines.get(lines.size() - 1));
    }

    @Test
    void orderOfClosingIsFree() throws Exception {
        long before = Gputide.alive();
        List<Supplier<Handle>> openers = List.copyOf(Openers.ALL.values());
        for (int seed = 0; seed < Support.LEAK_ROUNDS / 20; seed++) {
            Random chance = new Random(seed);
            List<Handle> handles = new ArrayList<>();
            for (int index = 0; index < 50; index++) {
                handles.add(openers.get(chance.nextInt(openers.size())).get());
            }
            Collections.shuffle(handles, chance);
            handles.subList(0, 40).forEach(Handle::close); // the collector frees the others
        }
        Support.waitForAlive(before);
        assertEquals(before, Gputide.alive());
    }

    @Test
    void forgottenOnesAreFreedByTheCollectorWithAWarning() throws Exception {
        for (Map.Entry<String, Supplier<Handle>> opener : Openers.ALL.entrySet()) {
            long before = Gputide.alive();
            String kind = opener.getValue().get().getClass().getSimpleName();
            Support.waitForAlive(before);
            assertEquals(before, Gputide.alive(), opener.getKey());
            assertTrue(warnings.contains("a " + kind + " was forgotten open: close it"), warnings.toString());
        }
    }

    @Test
    void closedHandlesRefuseUseAndCloseTwice() {
        Map<String, Executable> uses = new LinkedHashMap<>();
        Map<String, Handle> handles = new LinkedHashMap<>();
        Openers.ALL.forEach((name, opener) -> handles.put(name, opener.get()));
        uses.put("policy", () -> ((Policy) handles.get("policy")).describe());
        uses.put("state", () -> ((State) handles.get("state")).decide(Support.NOW_MS, 1, 1.0));
        uses.put("source", () -> ((Source) handles.get("source")).fetch());
        uses.put("scaler", () -> ((Scaler) handles.get("scaler")).tick(Observation.of(1)));
        uses.put("credential", () -> ((Credential) handles.get("credential")).token("scope"));
        uses.put("runtime", () -> ((ScalerRuntime) handles.get("runtime")).nextEvent(Duration.ofSeconds(1)));
        uses.put("series", () -> ((Series) handles.get("series")).describe());
        uses.put("replay", () -> ((Replay) handles.get("replay")).report());
        uses.put("rightsize", () -> ((Rightsize) handles.get("rightsize")).describe());
        uses.put("forecast", () -> ((Forecast) handles.get("forecast")).describe());
        uses.put("log", () -> ((LogReader) handles.get("log")).next(Duration.ofSeconds(1)));
        assertEquals(handles.keySet(), uses.keySet());
        uses.forEach((name, use) -> {
            Handle handle = handles.get(name);
            handle.close();
            handle.close();
            assertTrue(handle.isClosed());
            IllegalStateException refused = assertThrows(IllegalStateException.class, use, name);
            assertTrue(refused.getMessage().endsWith("is closed"), refused.getMessage());
        });
    }

    @Test
    void closedDuringACallEndsIt() throws Exception {
        try (Support.SilentPeer peer = new Support.SilentPeer()) {
            Scaler scaler = Scaler.open(Support.scaledObject("demo", Support.prometheusTrigger(peer.address)));
            CompletableFuture<Decision> tick = scaler.tickAsync(Observation.of(1), Duration.ofSeconds(30));
            Thread.sleep(200);
            long started = System.nanoTime();
            scaler.close();
            CompletionException ended = assertThrows(CompletionException.class, tick::join);
            assertTrue(System.nanoTime() - started < 2_000_000_000L);
            assertInstanceOf(GputideException.Cancelled.class, ended.getCause());
        }
    }

    @Test
    void exitIsQuickAndSilentWhateverIsOpen() throws Exception {
        Support.Outcome done = Support.java(List.of(), Map.of(), "io.gputide.Programs$Exit");
        long took = System.currentTimeMillis() - Long.parseLong(done.out().split(" ")[0]);
        assertEquals("", done.err());
        assertEquals(0, done.status());
        assertTrue(took < 3000, took + " ms");
    }
}
