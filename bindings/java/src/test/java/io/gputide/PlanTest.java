package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** plan.h: recorded series and replays, node plans, the load ahead; and the log. */
final class PlanTest {
    private static final long[] TIMES = LongStream.range(0, 40).map(index -> Support.NOW_MS + index * 15_000).toArray();
    private static final double[] VALUES = IntStream.range(0, 40).mapToDouble(index -> index < 20 ? 20 : 2).toArray();

    @Test
    void aSeriesThroughAPolicy() throws Exception {
        try (Series series = Series.create();
                Replay replay = Replay.open(Support.scaledObject(), null, "{\"model\":\"open\"}")) {
            series.add(0, TIMES, VALUES);
            int[] replicas = new int[TIMES.length];
            Arrays.fill(replicas, 3);
            series.addReplicas(TIMES, replicas);
            assertEquals((long) TIMES.length, series.describe().object().get("points"));
            replay.run(series);
            Map<?, ?> summary = (Map<?, ?>) replay.report().object().get("summary");
            assertTrue(((Number) summary.get("replica_hours")).doubleValue() > 0);
            assertThrows(GputideException.class, () -> replay.run(series)); // it is over
        }
    }

    private static String stepwise() {
        try (Replay replay = Replay.open(Support.scaledObject())) {
            List<Sample> first = List.of(Sample.of(VALUES[0]));
            assertEquals(Optional.empty(), replay.record(Support.NOW, first, 3).source());
            Decision last = null;
            for (int index = 1; index < TIMES.length; index++) {
                last = replay.record(Instant.ofEpochMilli(TIMES[index]), List.of(Sample.of(VALUES[index])));
            }
            assertTrue(last.source().isPresent());
            return replay.report().toString();
        }
    }

    @Test
    void momentByMomentComesToTheSame() {
        assertEquals(stepwise(), stepwise());
    }

    @Test
    void csvGoesOutAndComesBack() {
        double[] values = VALUES.clone();
        values[0] = Double.NaN;
        try (Series series = Series.create(); Series again = Series.create()) {
            series.add(0, TIMES, values);
            again.read(0, series.write());
            assertEquals(series.write(), again.write());
            assertTrue(series.write().startsWith("time,"));
            assertThrows(IllegalArgumentException.class, () -> series.add(0, TIMES, new double[1]));
            assertThrows(IndexOutOfBoundsException.class, () -> series.add(-1, TIMES, VALUES));
        }
    }

    @Test
    void aRunCanBeAwaitedAndCancelled() throws Exception {
        try (Series series = Series.create();
                Replay replay = Replay.open(Support.scaledObject());
                Replay other = Replay.open(Support.scaledObject())) {
            long[] times = LongStream.range(0, 50_000).map(index -> Support.NOW_MS + index * 15_000).toArray();
            series.add(0, times, new double[times.length]);
            replay.runAsync(series).get();
            assertTrue(replay.report().object().containsKey("summary"));
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> other.run(series));
        }
    }

    @Test
    void aSeriesIsFetchedFromItsSource() throws Exception {
        try (Support.SilentPeer peer = new Support.SilentPeer();
                Series series = Series.create();
                Scaler scaler = Scaler.open(Support.scaledObject("demo", Support.prometheusTrigger(peer.address)))) {
            CompletableFuture<Void> fetch = series.fetchAsync(
                    scaler, 0, Support.NOW, Support.NOW.plusSeconds(60), Duration.ofSeconds(15), Duration.ofSeconds(30));
            Thread.sleep(100);
            fetch.cancel(true);
            assertThrows(GputideException.Timeout.class, () -> series.fetch(
                    scaler, 0, Support.NOW, Support.NOW.plusSeconds(60), Duration.ofSeconds(15), Duration.ofMillis(300)));
        }
    }

    @Test
    void aWaitForALineEndsInTimeOrWhenTheReaderIsClosed() throws Exception {
        LogReader reader = LogReader.open(LogLevel.DEBUG);
        assertEquals(Optional.empty(), reader.next(Duration.ofMillis(50)));
        assertEquals(Optional.empty(), reader.next(Duration.ZERO));
        reader.close();
        assertThrows(IllegalStateException.class, () -> reader.next(Duration.ofSeconds(1)));
    }

    @Test
    void linesReachALoggerOfJavas() throws Exception {
        List<String> lines = new java.util.concurrent.CopyOnWriteArrayList<>();
        System.Logger logger = new System.Logger() {
            @Override
            public String getName() {
                return "test";
            }

            @Override
            public boolean isLoggable(Level level) {
                return true;
            }

            @Override
            public void log(Level level, java.util.ResourceBundle bundle, String message, Throwable thrown) {
                lines.add(level + " " + message);
            }

            @Override
            public void log(Level level, java.util.ResourceBundle bundle, String format, Object... parameters) {
                lines.add(level + " " + format);
            }
        };
        LogForwarding forwarding = LogReader.forward(logger, LogLevel.DEBUG);
        try (Scaler scaler = Scaler.open(Support.scaledObject("demo", Openers.TRIGGER))) {
            scaler.tick(Observation.of(1)); // nothing listens there, which is worth a line
            for (int round = 0; round < 500 && lines.isEmpty(); round++) {
                Thread.sleep(10);
            }
            assertTrue(lines.stream().allMatch(line -> line.matches("(ERROR|WARNING|INFO|DEBUG) .*")), lines.toString());
            assertTrue(!lines.isEmpty());
        } finally {
            forwarding.close();
        }
        forwarding.close();
    }

    private static void drive(Forecast forecast, int from, int to) {
        for (int minute = from; minute < to; minute++) {
            forecast.add(Support.NOW.plusSeconds(60L * minute), minute % 60 < 10 ? 100 : 20);
        }
    }

    @Test
    void whatComesEveryHourIsAskedForBefore() {
        try (Forecast forecast = Forecast.open("{\"warmup_ms\":3600000}")) {
            Floor first = forecast.floor(5, 4, 4, 40);
            assertEquals(List.of(ForecastState.WARMING, FloorReason.WARMING_UP), List.of(first.state(), first.reason()));
            assertEquals(OptionalInt.empty(), first.needReplicas());
            assertEquals(OptionalDouble.empty(), first.load());
            drive(forecast, 0, 2 * 1440 + 56);
            Floor floor = forecast.floor(5, 4, 4, 40);
            assertEquals(List.of(ForecastState.ON, 12), List.of(floor.state(), floor.replicas()));
            forecast.charge(floor.replicas(), 4);
            assertTrue(((Number) forecast.describe().object().get("skill_percent")).doubleValue() > 2);
        }
    }

    @Test
    void aForecastThatWasSavedGoesOn() {
        try (Forecast first = Forecast.open(); Forecast other = Forecast.open()) {
            drive(first, 0, 300);
            first.add(Support.NOW.plusSeconds(300 * 60), Double.NaN);
            other.load(first.save());
            drive(first, 301, 400);
            drive(other, 301, 400);
            assertEquals(first.save(), other.save());
            assertThrows(GputideException.WrongState.class, () -> other.load("{}"));
        }
    }

    @Test
    void aWrongSettingIsNamed() {
        GputideException.Invalid wrong = assertThrows(GputideException.Invalid.class, () -> Forecast.open("{\"lead_ms\":5}"));
        assertEquals("lead_ms", wrong.where());
    }

    @Test
    void aPlanSaysWhatItIsOf() {
        String pod = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"},"
                + "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"nvidia.com/gpu\":\"1\"}}}]},"
                + "\"status\":{\"phase\":\"Pending\"}}";
        NodesPlan plan = NodesPlan.of(pod, "", Support.NOW);
        assertEquals(plan.podsPending(), plan.podsOnExisting() + plan.podsOnNew() + plan.podsLeft());
        assertTrue(plan.report().value() != null);
        NodesPlan next = NodesPlan.of(pod, plan.nextState(), Support.NOW.plusSeconds(15));
        assertEquals(plan.podsPending(), next.podsPending());
        assertThrows(GputideException.WrongState.class, () -> NodesPlan.of(pod, "no state", Support.NOW));
    }
}
