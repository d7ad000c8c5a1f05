package io.gputide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A manifest as a working pipeline: sources, credentials, policy and state of one ScaledObject or HorizontalPodAutoscaler.  Calls take
 * turns.  Opening one sends nothing.
 */
public final class Scaler extends Handle {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final List<String> metrics;

    private Scaler(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::scalerFree));
        List<String> names = new ArrayList<>();
        for (int index = 0; index < Native.scalerMetricCount(address); index++) {
            names.add(Memory.text(Native.scalerMetricName(address, index)));
        }
        metrics = List.copyOf(names);
    }

    /**
     * Reads a manifest.
     *
     * @param manifest YAML (several documents) or JSON
     * @return the scaler
     * @throws GputideException.Invalid the manifest is wrong; the exception has file, line and path
     * @throws GputideException.Ambiguous the text holds several scalers: {@link Options#scaler} names one
     */
    public static Scaler open(String manifest) {
        return open(manifest, null);
    }

    /**
     * As {@link #open(String)}.
     *
     * @param manifest YAML (several documents) or JSON
     * @param options what the host allows; may be null
     * @return the scaler
     */
    public static Scaler open(String manifest, Options options) {
        return open(Texts.encoded(manifest), options);
    }

    /**
     * As {@link #open(String)}, from bytes.
     *
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @return the scaler
     */
    public static Scaler open(byte[] manifest, Options options) {
        try (Room room = Room.take()) {
            long text = room.copy(manifest);
            long chosen = Options.in(room, options);
            room.check(Native.scalerOpen(text, manifest.length, chosen, room.out(), room.error()));
            return new Scaler(room.takeLong());
        }
    }

    /**
     * As {@link #open(String)}, from a file, whose name stands in messages.
     *
     * @param manifest the file
     * @param options what the host allows
     * @return the scaler
     * @throws IOException the file cannot be read
     */
    public static Scaler open(Path manifest, Options options) throws IOException {
        return open(Files.readAllBytes(manifest), options.textName(manifest.toString()));
    }

    /** {@return the words for the metrics in every JSON text, in the order in which samples are given} */
    public List<String> metrics() {
        return metrics;
    }

    /**
     * Fetches every trigger that is due, decides; within 10 s.
     *
     * @param seen what is true now; its samples are the values of triggers of type values alone
     * @return the decision; a trigger that fails is no exception: {@link Decision#isFailed}, and {@link #lastMetrics} has each error
     * @throws InterruptedException the thread was interrupted; nothing was decided
     */
    public Decision tick(Observation seen) throws InterruptedException {
        return tick(seen, TIMEOUT);
    }

    /**
     * As {@link #tick(Observation)}.
     *
     * @param seen what is true now
     * @param timeout over all of it: tokens, DNS, retries
     * @return the decision
     * @throws InterruptedException the thread was interrupted; nothing was decided
     */
    public Decision tick(Observation seen, Duration timeout) throws InterruptedException {
        return tickWait(seen, timeout).here();
    }

    /**
     * As {@link #tick(Observation)}, in the background.
     *
     * @param seen what is true now
     * @param timeout over all of it
     * @return the decision to come; cancelling it ends the call
     */
    public CompletableFuture<Decision> tickAsync(Observation seen, Duration timeout) {
        return tickWait(seen, timeout).async();
    }

    private Wait<Decision> tickWait(Observation seen, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, room) -> {
            Struct made = room.decision();
            long observed = seen.in(room);
            room.check(Native.scalerTick(
                    address(), observed, timeoutMs, cancel, made.address, seen.reportIn(room), room.error()));
            return Decision.of(made, room.takeText());
        }, this);
    }

    /**
     * The first half of a tick: one sample per metric, now; within 10 s.
     *
     * @return the samples; a read that fails is a sample that says so
     * @throws InterruptedException the thread was interrupted
     */
    public List<Sample> fetch() throws InterruptedException {
        return fetch(null, TIMEOUT);
    }

    /**
     * As {@link #fetch()}.
     *
     * @param now the time that queries are evaluated at; null: by the clock
     * @param timeout over all of it
     * @return the samples
     * @throws InterruptedException the thread was interrupted
     */
    public List<Sample> fetch(Instant now, Duration timeout) throws InterruptedException {
        return fetchWait(now, timeout).here();
    }

    /**
     * As {@link #fetch()}, in the background.
     *
     * @param now the time that queries are evaluated at; null: by the clock
     * @param timeout over all of it
     * @return the samples to come; cancelling it ends the call
     */
    public CompletableFuture<List<Sample>> fetchAsync(Instant now, Duration timeout) {
        return fetchWait(now, timeout).async();
    }

    private Wait<List<Sample>> fetchWait(Instant now, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, room) -> {
            int capacity = metrics.size();
            Struct array = room.struct(capacity * Abi.Sample.SIZE);
            for (int index = 0; index < capacity; index++) {
                array.putInt(index * Abi.Sample.SIZE, Abi.Sample.SIZE);
            }
            room.check(Native.scalerFetch(
                    address(), Times.nowMs(now), timeoutMs, cancel, array.address, Abi.Sample.SIZE, capacity, room.out(), room.error()));
            List<Sample> samples = new ArrayList<>();
            for (int index = 0; index < room.takeInt(); index++) {
                samples.add(Sample.of(array, index * Abi.Sample.SIZE));
            }
            return List.copyOf(samples);
        }, this);
    }

    /**
     * The second half of a tick.
     *
     * @param seen with the samples as {@link #fetch} gave them
     * @return the decision
     */
    public Decision decide(Observation seen) {
        return inside((scaler, room) -> {
            Struct made = room.decision();
            room.check(Native.scalerDecide(scaler, seen.in(room), made.address, seen.reportIn(room), room.error()));
            return Decision.of(made, room.takeText());
        });
    }

    /**
     * How the write of {@link Decision#desired} went, once; now by the clock.
     *
     * @param decision one of this scaler that wanted a write
     * @param applied whether it was written
     * @return the decision with its conditions and event as they are now
     * @throws GputideException.WrongState it was recorded already, or this scaler did not make it
     */
    public Decision record(Decision decision, boolean applied) {
        return record(decision, applied, null);
    }

    /**
     * As {@link #record(Decision, boolean)}.
     *
     * @param decision one of this scaler that wanted a write
     * @param applied whether it was written
     * @param now when; null: by the clock
     * @return the decision with its conditions and event as they are now
     */
    public Decision record(Decision decision, boolean applied, Instant now) {
        return inside((scaler, room) -> {
            Struct made = decision.in(room);
            room.check(Native.scalerRecord(scaler, made.address, applied ? 1 : 0, Times.nowMs(now), room.error()));
            return Decision.of(made, decision.reportText());
        });
    }

    /** {@return an array of the conditions, each with type, status, reason, message, since} */
    public JsonText conditions() {
        return json(Native::scalerConditions);
    }

    /** {@return an array, one object per metric: the last value with its age, state, latency, and the error where it failed} */
    public JsonText lastMetrics() {
        return json(Native::scalerMetrics);
    }

    /** {@return the policy as JSON, each default filled in} */
    public JsonText describe() {
        return json(Native::scalerDescribe);
    }

    /** {@return the state as text that survives a restart} */
    public String save() {
        return text(Native::scalerSave);
    }

    /**
     * What {@link #save} gave, in place of the state.
     *
     * @param text the saved state
     * @throws GputideException.WrongState the text is damaged, foreign or of a newer release
     */
    public void load(String text) {
        load(Texts.encoded(text));
    }

    /**
     * As {@link #load(String)}, from bytes.
     *
     * @param text the saved state
     */
    public void load(byte[] text) {
        act((scaler, room) -> Native.scalerLoad(scaler, room.copy(text), text.length, room.error()));
    }

    @Override
    public String toString() {
        return "Scaler" + metrics;
    }
}
