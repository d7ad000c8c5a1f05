package io.gputide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * A manifest as a working pipeline: sources, credentials, policy and state of one ScaledObject or HorizontalPodAutoscaler.  Calls take
 * turns.  Opening one sends nothing.
 */
public final class Scaler extends Handle {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private Scaler(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::scalerFree));
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
        try (Frame frame = Frame.take()) {
            long text = frame.copy(manifest);
            long chosen = Options.in(frame, options);
            frame.check(Native.scalerOpen(text, manifest.length, chosen, frame.out(), frame.error()));
            return new Scaler(frame.takeLong());
        }
    }

    /**
     * As {@link #open(String)}, from a file; its name stands in messages.
     *
     * @param manifest the file
     * @param options what the host allows
     * @return the scaler
     * @throws IOException the file cannot be read
     */
    public static Scaler open(Path manifest, Options options) throws IOException {
        return open(Files.readAllBytes(manifest), options.textName(manifest.toString()));
    }

    /**
     * Fetches every trigger that is due, decides; within 10 s.
     *
     * @param observation what is true now; its samples are the values of triggers of type values alone
     * @return the decision; a trigger that fails is not an exception: {@link Decision#isFailed}, and {@link #describe} has each error
     * @throws InterruptedException the thread was interrupted; nothing was decided
     */
    public Decision tick(Observation observation) throws InterruptedException {
        return tick(observation, TIMEOUT);
    }

    /**
     * As {@link #tick(Observation)}.
     *
     * @param observation what is true now
     * @param timeout over all of it: tokens, DNS, retries
     * @return the decision
     * @throws InterruptedException the thread was interrupted; nothing was decided
     */
    public Decision tick(Observation observation, Duration timeout) throws InterruptedException {
        return tickWait(observation, timeout).here();
    }

    /**
     * As {@link #tick(Observation)}, in the background.
     *
     * @param observation what is true now
     * @param timeout over all of it
     * @return the decision to come; canceling it ends the call
     */
    public CompletableFuture<Decision> tickAsync(Observation observation, Duration timeout) {
        return tickWait(observation, timeout).async();
    }

    private Wait<Decision> tickWait(Observation observation, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            Struct made = frame.decision();
            long observed = observation.in(frame);
            frame.check(Native.scalerTick(
                    address(), observed, timeoutMs, cancel, made.address, observation.reportIn(frame), frame.error()));
            return Decision.of(made, frame.takeText());
        }, this);
    }

    /**
     * Records how the write of {@link Decision#desired} went, once; now by the clock.
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
        return inside((scaler, frame) -> {
            Struct made = decision.in(frame);
            frame.check(Native.scalerRecord(scaler, made.address, applied ? 1 : 0, Times.nowMs(now), frame.error()));
            return Decision.of(made, decision.reportText());
        });
    }

    /**
     * {@return policy (as {@link Policy#describe}), conditions (type, status, reason, message, since), and for each metric its last value,
     * age, state, latency and the error of a failed read}
     */
    public JsonText describe() {
        return json(Native::scalerDescribe);
    }

    /** {@return the state as text that survives a restart} */
    public String save() {
        return text(Native::scalerSave);
    }

    /**
     * The text that {@link #save} gave, in place of the state.
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
        act((scaler, frame) -> Native.scalerLoad(scaler, frame.copy(text), text.length, frame.error()));
    }

}
