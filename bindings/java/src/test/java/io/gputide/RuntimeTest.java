package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Section 9: many scalers, their events for loops and for subscribers. */
final class RuntimeTest {
    private static final RuntimeOptions SOON = RuntimeOptions.create().startSpread(Duration.ofMillis(1)).seed(7);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void stepsByAClockOfOnesOwn() throws Exception {
        try (ScalerRuntime runtime = ScalerRuntime.create(SOON.reports())) {
            long id = runtime.add(bytes(Support.scaledObject()), null, -1);
            assertEquals(id, runtime.find("default/demo"));
            runtime.observe(id, Observation.of(3).at(Support.NOW).values(42.5));
            Instant now = Support.NOW;
            Optional<Event> taken = Optional.empty();
            while (taken.isEmpty()) {
                now = runtime.step(now).orElse(now);
                taken = runtime.nextEvent(Duration.ZERO);
            }
            Event event = taken.get();
            assertEquals(List.of(id, -1L, 1L), List.of(event.id(), event.tag(), event.sequence()));
            assertEquals(List.of("default/demo", EventKind.DECISION), List.of(event.name(), event.kind()));
            assertEquals(List.of(3, 6, 0), List.of(event.current(), event.desired(), event.replaced()));
            assertEquals(Optional.of(Support.NOW), event.observed());
            assertEquals(6L, event.decision().report().orElseThrow().object().get("desired_replicas"));
            runtime.record(id, event.decision(), true, now);
            Instant again = now;
            assertThrows(GputideException.WrongState.class, () -> runtime.record(id, event.decision(), true, again));
            assertEquals(6L, runtime.describe(id).object().get("current_replicas"));
            runtime.load(id, runtime.save(id));
            assertTrue(runtime.nextEvent(Duration.ZERO).isEmpty());
            assertEquals(1L, runtime.stats().object().get("decisions"));
            assertTrue(runtime.wakeFd() > 2);
        }
    }

    @Test
    void addReplaceRemoveAndIterate() {
        try (ScalerRuntime runtime = ScalerRuntime.create()) {
            List<Long> ids = new ArrayList<>();
            for (int index = 0; index < 5; index++) {
                ids.add(runtime.add(Support.scaledObject("s" + index, Support.VALUES_TRIGGER)));
            }
            assertEquals(ids.stream().sorted().toList(), runtime.scalers().stream().sorted().toList());
            runtime.replace(ids.get(0), Support.scaledObject("s0", Support.VALUES_TRIGGER, 7), null);
            runtime.replace(ids.get(0), bytes(Support.scaledObject("s0", Support.VALUES_TRIGGER, 8)), null, 5);
            assertTrue(runtime.describe(ids.get(0)).toString().contains("\"tag\":5"), runtime.describe(ids.get(0)).toString());
            runtime.remove(ids.get(1));
            assertThrows(GputideException.NotFound.class, () -> runtime.remove(ids.get(1)));
            assertThrows(GputideException.NotFound.class, () -> runtime.find("default/s1"));
            assertThrows(GputideException.NotFound.class, () -> runtime.observe(ids.get(1), Observation.of(1)));
            assertThrows(GputideException.Invalid.class, () -> runtime.add(Support.scaledObject("s2", Support.VALUES_TRIGGER)));
            assertEquals(4, runtime.scalers().size());
        }
    }

    @Test
    void dueEventsAskForAnObservation() throws Exception {
        try (ScalerRuntime runtime = ScalerRuntime.create(SOON.observeFirst())) {
            long id = runtime.add(Support.scaledObject());
            Event due = runtime.nextEvent(Duration.ofSeconds(10)).orElseThrow();
            assertTrue(due.isDue() && !due.wantsWrite());
            assertEquals(Optional.empty(), due.decision().source());
            runtime.observe(id, Observation.of(3).values(42.5));
            Event event = runtime.nextEvent(Duration.ofSeconds(10)).orElseThrow();
            assertEquals(6, event.desired());
            runtime.push(id, List.of(Sample.notGiven()));
        }
    }

    @Test
    void aLoopTakesEventsUntilTheRuntimeIsClosed() throws Exception {
        ScalerRuntime runtime = ScalerRuntime.create(SOON);
        runtime.observe(runtime.add(Support.scaledObject()), Observation.of(3).values(42.5));
        List<Integer> sizes = new ArrayList<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        for (Event event : runtime.events()) {
            sizes.add(event.desired());
            runtime.record(event, true);
            CompletableFuture.runAsync(runtime::close).whenComplete((nothing, problem) -> closed.complete(null));
        }
        closed.get(5, TimeUnit.SECONDS);
        assertEquals(List.of(6), sizes);
        assertTrue(runtime.isClosed());
        assertFalse(runtime.events().iterator().hasNext());
    }

    @Test
    void aLoopEndsWithItsThreadsInterrupt() throws Exception {
        try (ScalerRuntime runtime = ScalerRuntime.create()) {
            AtomicInteger outcome = new AtomicInteger();
            Thread thread = new Thread(() -> {
                for (Event event : runtime.events()) {
                    outcome.set(event.desired());
                }
                outcome.set(Thread.currentThread().isInterrupted() ? -1 : -2);
            });
            thread.start();
            Thread.sleep(200);
            thread.interrupt();
            thread.join(5000);
            assertEquals(-1, outcome.get());
        }
    }

    /** Counts what comes. */
    private static final class Subscriber implements Flow.Subscriber<Event> {
        final List<Integer> sizes = new ArrayList<>();
        final AtomicReference<Flow.Subscription> subscription = new AtomicReference<>();
        final AtomicReference<Throwable> problem = new AtomicReference<>();
        final CountDownLatch next = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription.set(given);
        }

        @Override
        public synchronized void onNext(Event event) {
            sizes.add(event.desired());
            next.countDown();
        }

        @Override
        public void onError(Throwable given) {
            problem.set(given);
            ended.countDown();
        }

        @Override
        public void onComplete() {
            ended.countDown();
        }
    }

    @Test
    void aSubscribersDemandPullsEvents() throws Exception {
        ScalerRuntime runtime = ScalerRuntime.create(SOON.everyDecision());
        try {
            String soon = Support.scaledObject()
                    .replace("\"metadata\":{\"name\":\"demo\"}",
                            "\"metadata\":{\"name\":\"demo\",\"annotations\":{\"gputide.io/sync-period\":\"50ms\"}}");
            runtime.observe(runtime.add(soon), Observation.of(3).values(42.5));
            Subscriber subscriber = new Subscriber();
            runtime.publisher().subscribe(subscriber);
            subscriber.subscription.get().request(1);
            assertTrue(subscriber.next.await(10, TimeUnit.SECONDS));
            Thread.sleep(200);
            assertEquals(List.of(6), subscriber.sizes); // no more than was asked for
            subscriber.subscription.get().request(Long.MAX_VALUE);
            runtime.close();
            assertTrue(subscriber.ended.await(5, TimeUnit.SECONDS));
            assertEquals(null, subscriber.problem.get());
        } finally {
            runtime.close();
        }
    }

    @Test
    void aSubscriptionThatIsCancelledLetsGo() throws Exception {
        try (ScalerRuntime runtime = ScalerRuntime.create()) {
            Subscriber subscriber = new Subscriber();
            runtime.publisher().subscribe(subscriber);
            subscriber.subscription.get().request(1);
            Thread.sleep(100);
            subscriber.subscription.get().cancel();
            runtime.close(Duration.ofSeconds(5));
            assertEquals(1, subscriber.ended.getCount());
            Subscriber wrong = new Subscriber();
            runtime.publisher().subscribe(wrong);
            wrong.subscription.get().request(0);
            assertTrue(wrong.ended.await(5, TimeUnit.SECONDS));
            assertInstanceOf(IllegalArgumentException.class, wrong.problem.get());
        }
    }

    @Test
    void startStopAndClose() throws Exception {
        ScalerRuntime runtime = ScalerRuntime.create();
        runtime.start();
        assertThrows(GputideException.WrongState.class, runtime::start);
        assertThrows(GputideException.WrongState.class, () -> runtime.step(null));
        runtime.stop(Duration.ofSeconds(5));
        assertEquals(Optional.empty(), runtime.step(null));
        CompletableFuture<Optional<Event>> wait = runtime.nextEventAsync(Duration.ofSeconds(60));
        Thread.sleep(100);
        runtime.close(Duration.ofSeconds(5));
        runtime.close(Duration.ofSeconds(5));
        runtime.close();
        assertThrows(Exception.class, () -> wait.get(5, TimeUnit.SECONDS));
        assertThrows(IllegalStateException.class, runtime::stats);
    }
}
