package io.gputide;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/** One number, or the reason that there is none.  Each method with an argument gives a sample of its own. */
public final class Sample {
    private static final Sample NOT_GIVEN = new Sample(SampleState.NOT_GIVEN, Status.OK, 0, 0, null, false);

    private final SampleState state;
    private final Status status;
    private final double value;
    private final long timeMs;
    private final String message;
    private final boolean nullAsZero;

    private Sample(SampleState state, Status status, double value, long timeMs, String message, boolean nullAsZero) {
        this.state = Objects.requireNonNull(state, "state");
        this.status = Objects.requireNonNull(status, "status");
        this.value = value;
        this.timeMs = timeMs;
        this.message = message;
        this.nullAsZero = nullAsZero;
    }

    /**
     * A number that is true now.
     *
     * @param value NaN and the infinities: the metric has no number
     * @return the sample
     */
    public static Sample of(double value) {
        SampleState state = Double.isFinite(value) ? SampleState.OK : SampleState.NOT_A_NUMBER;
        return new Sample(state, Status.OK, value, 0, null, false);
    }

    /** {@return one that says nothing of its metric} */
    public static Sample notGiven() {
        return NOT_GIVEN;
    }

    /**
     * A read that came to no number.
     *
     * @param state how
     * @param status of the read
     * @param message why, for reports and conditions; null: nothing to say
     * @return the sample
     */
    public static Sample failed(SampleState state, Status status, String message) {
        return NOT_GIVEN.in(state).because(status, message);
    }

    /**
     * When it was true.
     *
     * @param time from a clock; null: unknown
     * @return this at that time
     */
    public Sample at(Instant time) {
        return new Sample(state, status, value, Times.unixMs(time), message, nullAsZero);
    }

    /**
     * Another state, such as {@link SampleState#STALE} for a number that has grown old.
     *
     * @param state the new one
     * @return this in that state
     */
    public Sample in(SampleState state) {
        return new Sample(state, status, value, timeMs, message, nullAsZero);
    }

    /**
     * Why there is no number.
     *
     * @param status of the read
     * @param message for reports and conditions; null: nothing to say
     * @return this with that
     */
    public Sample because(Status status, String message) {
        return new Sample(state, status, value, timeMs, message, nullAsZero);
    }

    /**
     * Whether nothing, NaN or an infinity came and ignoreNullValues made 0 of it.
     *
     * @param nullAsZero whether
     * @return this and that
     */
    public Sample nullAsZero(boolean nullAsZero) {
        return new Sample(state, status, value, timeMs, message, nullAsZero);
    }

    /** {@return how it came out} */
    public SampleState state() {
        return state;
    }

    /** {@return of the failed read; OK where there is a number} */
    public Status status() {
        return status;
    }

    /** {@return the number, where there is one} */
    public OptionalDouble value() {
        return state.equals(SampleState.OK) ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    /** {@return when it was true; empty where that is unknown} */
    public Optional<Instant> time() {
        return Times.instant(timeMs);
    }

    /** {@return why there is no number; samples of the library have none, their error says it} */
    public Optional<String> message() {
        return Optional.ofNullable(message);
    }

    /** {@return whether nothing came and ignoreNullValues made 0 of it} */
    public boolean isNullAsZero() {
        return nullAsZero;
    }

    static Sample of(Struct raw) {
        return of(raw, 0);
    }

    static Sample of(Struct raw, int start) {
        return new Sample(
                SampleState.of(raw.getInt(start + Abi.Sample.STATE)),
                Status.of(raw.getInt(start + Abi.Sample.STATUS)),
                raw.getDouble(start + Abi.Sample.VALUE),
                raw.getLong(start + Abi.Sample.TIME_MS),
                null,
                (raw.getInt(start + Abi.Sample.FLAGS) & Abi.SAMPLE_NULL_AS_ZERO) != 0);
    }

    /** An array of gputide_sample. */
    static long in(Frame frame, List<Sample> samples) {
        Struct array = frame.struct(samples.size() * Abi.Sample.SIZE);
        for (int index = 0; index < samples.size(); index++) {
            samples.get(index).in(frame, array, index * Abi.Sample.SIZE);
        }
        return array.address;
    }

    private void in(Frame frame, Struct array, int start) {
        array.putInt(start + Abi.Sample.STRUCT_SIZE, Abi.Sample.SIZE);
        array.putInt(start + Abi.Sample.STATE, state.number());
        array.putInt(start + Abi.Sample.STATUS, status.number());
        array.putInt(start + Abi.Sample.FLAGS, nullAsZero ? Abi.SAMPLE_NULL_AS_ZERO : 0);
        array.putDouble(start + Abi.Sample.VALUE, value);
        array.putLong(start + Abi.Sample.TIME_MS, timeMs);
        if (message != null) {
            array.putLong(start + Abi.Sample.MESSAGE, frame.copy(Texts.terminated(message, "a sample's message")));
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sample its
                && its.state.equals(state)
                && its.status.equals(status)
                && Double.compare(its.value, value) == 0
                && its.timeMs == timeMs
                && Objects.equals(its.message, message)
                && its.nullAsZero == nullAsZero;
    }

    @Override
    public int hashCode() {
        return Objects.hash(state, status, value, timeMs, message, nullAsZero);
    }

    @Override
    public String toString() {
        return "Sample[" + (value().isPresent() ? String.valueOf(value) : state.name()) + "]";
    }
}
