package io.gputide;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Recorded values of each metric over time, and the workload's size meanwhile.  At most 20 million points, in any order. */
public final class Series extends Handle {
    private Series(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::seriesFree));
    }

    /** {@return one without a point} */
    public static Series create() {
        try (Frame frame = Frame.take()) {
            frame.check(Native.seriesNew(frame.out(), frame.error()));
            return new Series(frame.takeLong());
        }
    }

    /**
     * Points of one metric.
     *
     * @param metric index of the policy's metric
     * @param timesMs Unix milliseconds
     * @param values beside them; NaN and the infinities: points without a number
     * @throws GputideException.LimitExceeded too many points
     */
    public void add(int metric, long[] timesMs, double[] values) {
        requireAsMany(timesMs.length, values.length);
        act((series, frame) -> {
            long numbers = frame.allocate(Math.max(1, (long) values.length * Double.BYTES));
            Memory.writeDoubles(numbers, values);
            return Native.seriesAdd(series, index(metric), times(frame, timesMs), numbers, values.length, frame.error());
        });
    }

    /**
     * Replica counts that the workload had: what a closed loop needs.
     *
     * @param timesMs Unix milliseconds
     * @param replicas beside them
     */
    public void addReplicas(long[] timesMs, int[] replicas) {
        requireAsMany(timesMs.length, replicas.length);
        act((series, frame) -> {
            long numbers = frame.allocate(Math.max(1, (long) replicas.length * Integer.BYTES));
            Memory.writeInts(numbers, replicas);
            return Native.seriesAddReplicas(series, times(frame, timesMs), numbers, replicas.length, frame.error());
        });
    }

    private static void requireAsMany(int times, int values) {
        if (times != values) {
            throw new IllegalArgumentException(times + " times for " + values + " values");
        }
    }

    private static long times(Frame frame, long[] timesMs) {
        long place = frame.allocate(Math.max(1, (long) timesMs.length * Long.BYTES));
        Memory.writeLongs(place, timesMs);
        return place;
    }

    private static int index(int metric) {
        if (metric < 0) {
            throw new IndexOutOfBoundsException("metric " + metric);
        }
        return metric;
    }

    /**
     * Adds what a text holds: CSV (time,value[,value...][,replicas]), a saved query_range of Prometheus, or the log of {@code gputided run}.
     *
     * @param metric index of the first metric in it
     * @param text which of them it is shows in the text
     * @throws GputideException.Invalid the exception has the line
     */
    public void read(int metric, String text) {
        read(metric, Texts.encoded(text), null);
    }

    /**
     * As {@link #read(int, String)}, from the bytes of a file.
     *
     * @param metric index of the first metric in it
     * @param text in UTF-8
     * @param scaler of a run log that holds several: "namespace/name"; null: the first one's
     */
    public void read(int metric, byte[] text, String scaler) {
        readFrom(index(metric), text, scaler);
    }

    /**
     * The number of a text, as {@link #read(int, String)} takes it the replica counts alone, and of a run log its decisions.
     *
     * @param text in UTF-8
     * @param scaler of a run log that holds several: "namespace/name"; null: the first one's
     */
    public void readReplicas(byte[] text, String scaler) {
        readFrom(Abi.NO_METRIC, text, scaler);
    }

    private void readFrom(int metric, byte[] text, String scaler) {
        byte[] name = scaler == null ? null : Texts.terminated(scaler, "scaler");
        act((series, frame) -> Native.seriesRead(
                series, metric, frame.copy(text), text.length, name == null ? 0 : frame.copy(name), frame.error()));
    }

    /**
     * The past of one metric straight from its source, both ends included, at most 11,000 steps.
     *
     * @param scaler with the trigger
     * @param metric index of the trigger
     * @param from the first moment
     * @param to the last moment
     * @param step from one to the next
     * @param timeout over all of it
     * @throws GputideException.Unsupported the source keeps no past
     * @throws InterruptedException the thread was interrupted
     */
    public void fetch(Scaler scaler, int metric, Instant from, Instant to, Duration step, Duration timeout)
            throws InterruptedException {
        fetchWait(scaler, metric, from, to, step, timeout).here();
    }

    /**
     * As {@link #fetch}, in the background.
     *
     * @param scaler with the trigger
     * @param metric index of the trigger
     * @param from the first moment
     * @param to the last moment
     * @param step from one to the next
     * @param timeout over all of it
     * @return done; canceling it ends the call
     */
    public CompletableFuture<Void> fetchAsync(
            Scaler scaler, int metric, Instant from, Instant to, Duration step, Duration timeout) {
        return fetchWait(scaler, metric, from, to, step, timeout).async();
    }

    private Wait<Void> fetchWait(
            Scaler scaler, int metric, Instant from, Instant to, Duration step, Duration timeout) {
        long stepMs = Times.longMs(step);
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            frame.check(Native.seriesFetch(address(), scaler.address(), index(metric), from.toEpochMilli(), to.toEpochMilli(),
                    stepMs, timeoutMs, cancel, frame.error()));
            return null;
        }, this, scaler);
    }

    /** {@return the series as CSV, which {@link #read(int, String)} takes} */
    public String write() {
        return text(Native::seriesWrite);
    }

    /** {@return points, from, to, gaps, duplicates and the like; afterwards several replays may run over it at the same time} */
    public JsonText describe() {
        return json(Native::seriesDescribe);
    }
}
