package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** cancel, concurrent: calls that wait, and calls side by side. */
final class WaitingTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long SOON_NS = 200_000_000L;

    @Test
    void cancelByAnInterruptEndsAFetchWithin200Ms() throws Exception {
        try (Support.SilentPeer peer = new Support.SilentPeer();
                Source source = Support.source(peer.address)) {
            assertTrue(interrupted(Thread::new, () -> source.fetch(null, LONG)) < SOON_NS);
        }
    }

    /** A virtual thread, before Java 21 a platform's that goes the same way. */
    @Test
    void cancelOfAThreadThatMayNotBeInCEndsAFetchToo() throws Exception {
        boolean virtualOnes = Runtime.version().feature() >= 21;
        try (Support.SilentPeer peer = new Support.SilentPeer();
                Source source = Support.source(peer.address)) {
            Callable<?> fetch = virtualOnes ? () -> source.fetch(null, LONG) : () -> source.fetchWait(null, LONG).elsewhere();
            assertTrue(interrupted(virtualOnes ? WaitingTest::virtual : Thread::new, fetch) < SOON_NS);
        }
    }

    private static Thread virtual(Runnable task) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
        } catch (ReflectiveOperationException problem) {
            throw new AssertionError(problem);
        }
    }

    /** The nanoseconds from the interrupt to the InterruptedException. */
    private static long interrupted(java.util.function.Function<Runnable, Thread> maker, Callable<?> call) throws Exception {
        AtomicLong ended = new AtomicLong();
        AtomicReference<Object> outcome = new AtomicReference<>();
        Thread thread = maker.apply(() -> {
            try {
                outcome.set(call.call());
            } catch (Throwable problem) {
                outcome.set(problem);
            }
            ended.set(System.nanoTime());
        });
        thread.start();
        Thread.sleep(300);
        long started = System.nanoTime();
        thread.interrupt();
        thread.join(10_000);
        assertEquals(InterruptedException.class, outcome.get() == null ? null : outcome.get().getClass(), "" + outcome.get());
        assertFalse(thread.isInterrupted());
        return ended.get() - started;
    }

    @Test
    void cancelOfAFutureEndsItsCallWithin200Ms() throws Exception {
        try (Support.SilentPeer peer = new Support.SilentPeer();
                Source source = Support.source(peer.address)) {
            for (int round = 0; round < 2; round++) {
                CompletableFuture<Sample> fetch = source.fetchAsync(null, LONG);
                Thread.sleep(200);
                long started = System.nanoTime();
                if (round == 0) {
                    assertTrue(fetch.cancel(true));
                } else {
                    fetch.orTimeout(1, TimeUnit.MILLISECONDS);
                }
                source.describe(); // takes its turn, which comes when the call has ended
                assertTrue(System.nanoTime() - started < SOON_NS);
                assertTrue(fetch.isCompletedExceptionally());
            }
        }
    }

    @Test
    void aThreadThatIsInterruptedAlreadyDoesNotWait() throws Exception {
        try (Support.SilentPeer peer = new Support.SilentPeer();
                Source source = Support.source(peer.address)) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> source.fetch(null, LONG));
            assertFalse(Thread.currentThread().isInterrupted());
        }
    }

    @Test
    void aDeadlineHoldsForTheTurnToo() throws Exception {
        try (Support.SilentPeer peer = new Support.SilentPeer();
                Source source = Support.source(peer.address)) {
            long started = System.nanoTime();
            assertThrows(GputideException.Timeout.class, () -> source.fetch(null, Duration.ofMillis(200)));
            CompletableFuture<Sample> first = source.fetchAsync(null, LONG);
            Thread.sleep(100);
            GputideException.Timeout late =
                    assertThrows(GputideException.Timeout.class, () -> source.fetch(null, Duration.ofMillis(200)));
            assertTrue(late.getMessage().contains("take turns"), late.getMessage());
            assertTrue(System.nanoTime() - started < 5_000_000_000L);
            first.cancel(true);
            source.describe(); // when that has ended
            assertThrows(IllegalArgumentException.class, () -> source.fetch(null, Duration.ofMillis(-1)));
            assertThrows(GputideException.Invalid.class, () -> source.fetch(null, Duration.ZERO));
        }
    }

    @Test
    void futuresGiveWhatTheOthersGive() throws Exception {
        try (Support.Prometheus prometheus = new Support.Prometheus(Map.of("load", 42.5));
                Source source = Support.source(prometheus.address)) {
            String manifest = Support.scaledObject("demo", Support.prometheusTrigger(prometheus.address));
            try (Scaler scaler = Scaler.open(manifest)) {
                CompletableFuture<Sample> sample = source.fetchAsync(null, LONG);
                CompletableFuture<Decision> decision = scaler.tickAsync(Observation.of(3).at(Support.NOW), LONG);
                assertEquals(42.5, sample.get().value().getAsDouble());
                assertEquals(6, decision.get().desired());
            }
            assertTrue(source.fetchAllAsync(null, LONG).get().toString().contains("42.5"));
            assertTrue(Gputide.doctorAsync(manifest, null, null, LONG).get().lines().contains("42.5"));
        }
    }

    /** work(0) to work(count - 1), each in a thread. */
    private static <T> List<T> together(int count, IntFunction<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Callable<T>> all = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                all.add(work.apply(index));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(all)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void concurrentThreadsOnAPolicyAgreeWithOne() throws Exception {
        try (Policy policy = Policy.open(Support.scaledObject())) {
            Callable<List<Integer>> work = () -> {
                List<Integer> sizes = new ArrayList<>();
                try (State state = policy.newState()) {
                    for (int index = 0; index < 60; index++) {
                        long now = Support.NOW_MS + index * 15_000L;
                        sizes.add(state.decide(now, 3, now % 97).desired());
                    }
                }
                return sizes;
            };
            assertEquals(Collections.nCopies(8, work.call()), together(8, index -> work));
        }
    }

    @Test
    void concurrentThreadsOnAScalerTakeTurns() throws Exception {
        try (Support.Prometheus prometheus = new Support.Prometheus(Map.of("load", 42.5));
                Scaler scaler = Scaler.open(Support.scaledObject("demo", Support.prometheusTrigger(prometheus.address)))) {
            List<Integer> sizes = together(8, index -> () -> {
                Instant now = Support.NOW.plusSeconds(15L * index);
                return scaler.tick(Observation.of(3).at(now)).current();
            });
            assertEquals(Collections.nCopies(8, 3), sizes);
        }
    }

    @Test
    void concurrentThreadsOnARuntime() throws Exception {
        try (ScalerRuntime runtime = ScalerRuntime.create()) {
            runtime.start();
            List<Long> ids = new ArrayList<>();
            for (int index = 0; index < 8; index++) {
                ids.add(runtime.add(Support.scaledObject("demo-" + index, Support.VALUES_TRIGGER)));
            }
            long until = System.nanoTime() + Support.CONCURRENT_MS * 1_000_000L;
            List<Integer> rounds = together(8, index -> () -> {
                int done = 0;
                while (System.nanoTime() < until) {
                    runtime.observe(ids.get(index), Observation.of(index + 1).values(done % 50));
                    Optional<Event> event = runtime.nextEvent(Duration.ofMillis(10));
                    if (event.isPresent() && event.get().wantsWrite()) {
                        try {
                            runtime.record(event.get(), true);
                        } catch (GputideException.WrongState another) {
                            // a later one was recorded by another thread
                        }
                    }
                    done += runtime.describe(ids.get(index)).object().size() > 2 ? 1 : 0;
                }
                return done;
            });
            assertTrue(Collections.min(rounds) > 0, rounds.toString());
            assertEquals(ids.stream().sorted().toList(), runtime.scalers().stream().sorted().toList());
        }
    }
}
