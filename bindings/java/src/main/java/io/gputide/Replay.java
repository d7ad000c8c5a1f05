package io.gputide;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Shows what a manifest would have done over recorded metrics: its policy, a model, and the sums so far.  Calls take turns.  docs/replay.md has
 * the models, the settings and the report's words.
 */
public final class Replay extends Handle {
    private static final int AS_BEFORE = -1;

    private Replay(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::replayFree));
    }

    /**
     * Reads a manifest.
     *
     * @param manifest YAML or JSON
     * @return the replay, with every setting at its default
     */
    public static Replay open(String manifest) {
        return open(manifest, null, null);
    }

    /**
     * As {@link #open(String)}.
     *
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @param settings a JSON object such as {@code {"model":"closed","signal":"utilization"}}; may be null
     * @return the replay
     * @throws GputideException.Invalid the exception has the member that is wrong
     */
    public static Replay open(String manifest, Options options, String settings) {
        return open(Texts.encoded(manifest), options, settings == null ? null : Texts.encoded(settings));
    }

    /**
     * As {@link #open(String)}, from the bytes of files.
     *
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @param settings a JSON object; may be null
     * @return the replay
     */
    public static Replay open(byte[] manifest, Options options, byte[] settings) {
        try (Frame frame = Frame.take()) {
            long text = frame.copy(manifest);
            long chosen = Options.in(frame, options);
            long set = settings == null ? 0 : frame.copy(settings);
            int setBytes = settings == null ? 0 : settings.length;
            frame.check(Native.replayOpen(text, manifest.length, chosen, set, setBytes, frame.out(), frame.error()));
            return new Replay(frame.takeLong());
        }
    }

    /**
     * All of a series, once.  Takes as long as it takes.
     *
     * @param series with at least one point
     * @throws InterruptedException the thread was interrupted
     */
    public void run(Series series) throws InterruptedException {
        runWait(series).here();
    }

    /**
     * As {@link #run}, in the background.
     *
     * @param series with at least one point
     * @return done; canceling it ends the run
     */
    public CompletableFuture<Void> runAsync(Series series) {
        return runWait(series).async();
    }

    private Wait<Void> runWait(Series series) {
        return new Wait<>((Duration) null, (cancel, timeoutMs, frame) -> {
            frame.check(Native.replayRun(address(), series.address(), cancel, frame.error()));
            return null;
        }, this, series);
    }

    /**
     * The same moment by moment, for series of any length; the decisions that were due before it are taken first.
     *
     * @param time when it was recorded; it must not go back
     * @param samples one per metric; {@link Sample#notGiven}: nothing new is known of it
     * @return the last decision taken so far, without a source before the first
     */
    public Decision record(Instant time, List<Sample> samples) {
        return record(time, samples, AS_BEFORE);
    }

    /**
     * As {@link #record(Instant, List)}, with the workload's recorded size, which is otherwise what it was before.
     *
     * @param time when it was recorded; it must not go back
     * @param samples one per metric
     * @param replicas the size
     * @return the last decision taken so far
     */
    public Decision record(Instant time, List<Sample> samples, int replicas) {
        return inside((replay, frame) -> {
            Struct made = frame.decision();
            long given = Sample.in(frame, samples);
            frame.check(Native.replayRecord(replay, time.toEpochMilli(), given, Abi.Sample.SIZE, samples.size(),
                    replicas, made.address, frame.error()));
            return Decision.of(made, null);
        });
    }

    /** {@return what it came to, as JSON; nothing can be recorded after it} */
    public JsonText report() {
        return json(Native::replayReport);
    }
}
