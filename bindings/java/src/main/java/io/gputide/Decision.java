package io.gputide;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The decision.  Write {@link #desired} to the target where {@link #wantsWrite}, then record how that went.  A value: it never
 * changes, and can be kept over a restart by Java's serialization.
 */
public final class Decision implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** A gputide_decision, as record takes it back. */
    private final byte[] raw;

    /** JSON; null where none was asked for. */
    private final String report;

    /** For a record; null: unknown. */
    private final transient String message;

    Decision(byte[] raw, String report) {
        this(raw, report, null);
    }

    private Decision(byte[] raw, String report, String message) {
        this.raw = raw;
        this.report = report;
        this.message = message;
    }

    static Decision of(Struct raw, String report) {
        return new Decision(raw.get(Abi.Decision.SIZE), report);
    }

    String reportText() {
        return report;
    }

    /**
     * For a record of a failed write: why it failed, for the conditions.
     *
     * @param message null: unknown
     * @return this decision with it
     */
    public Decision because(String message) {
        return new Decision(raw, report, message);
    }

    /** A copy for C to update. */
    Struct in(Frame frame) {
        Struct place = frame.decision();
        place.put(raw);
        if (message != null) {
            place.putLong(Abi.Decision.MESSAGE, frame.copy(Texts.terminated(message, "a decision's message")));
        }
        return place;
    }

    /** {@return what the state knows it by; never 0} */
    public long id() {
        return getLong(Abi.Decision.ID);
    }

    /** {@return the time that it was taken for} */
    public Instant now() {
        return Instant.ofEpochMilli(getLong(Abi.Decision.NOW_MS));
    }

    /** {@return when the next one is due; earlier ones are {@link Limit#NOT_DUE}} */
    public Instant nextDue() {
        return Instant.ofEpochMilli(getLong(Abi.Decision.NEXT_DUE_MS));
    }

    /** {@return the size that it was taken on} */
    public int current() {
        return getInt(Abi.Decision.CURRENT_REPLICAS);
    }

    /** {@return the size to write} */
    public int desired() {
        return getInt(Abi.Decision.DESIRED_REPLICAS);
    }

    /** {@return what the metrics ask for, before stabilization, limits and bounds} */
    public int proposed() {
        return getInt(Abi.Decision.PROPOSED_REPLICAS);
    }

    /** {@return whether the size is to be written} */
    public boolean wantsWrite() {
        return desired() != current();
    }

    /** {@return what held it back} */
    public Limit limitedBy() {
        return Limit.of(getInt(Abi.Decision.LIMITED_BY));
    }

    /** {@return the scaler that it belongs to; empty where nothing was decided yet} */
    public Optional<DecisionSource> source() {
        int source = getInt(Abi.Decision.SOURCE);
        return source == 0 ? Optional.empty() : Optional.of(DecisionSource.of(source));
    }

    /** {@return index of the metric that asked for the most; -1: none; -2: scalingModifiers' formula} */
    public int winner() {
        return getInt(Abi.Decision.WINNER);
    }

    /** {@return index of the first metric that failed; -1: none; -2: scalingModifiers' formula} */
    public int failedMetric() {
        return getInt(Abi.Decision.FAILED_METRIC);
    }

    /** {@return what KEDA would report as an event of the object} */
    public ScaleEvent event() {
        return ScaleEvent.of(getInt(Abi.Decision.EVENT));
    }

    /** {@return whether a trigger is active} */
    public boolean isActive() {
        return has(Abi.DECIDED_ACTIVE);
    }

    /** {@return whether a trigger or metric failed and nothing took its place} */
    public boolean isFailed() {
        return has(Abi.DECIDED_ERROR);
    }

    /** {@return whether KEDA's half was due and ran} */
    public boolean isByExecutor() {
        return has(Abi.DECIDED_EXECUTOR);
    }

    /** {@return whether the HPA's half was due and ran} */
    public boolean isByHpa() {
        return has(Abi.DECIDED_HPA);
    }

    /** {@return the four above as bits, GPUTIDE_DECIDED_*, and what a newer library adds} */
    public int flags() {
        return getInt(Abi.Decision.FLAGS);
    }

    /** {@return how the policy's forecast stands; empty where it has none} */
    public Optional<ForecastState> forecastState() {
        int state = getInt(Abi.Decision.FORECAST_STATE);
        return state == 0 ? Optional.empty() : Optional.of(ForecastState.of(state));
    }

    /** {@return replicas that the load to be ready for takes; empty where the forecast asks for nothing} */
    public OptionalInt forecastNeed() {
        int need = getInt(Abi.Decision.FORECAST_NEED);
        return need < 0 || forecastState().isEmpty() ? OptionalInt.empty() : OptionalInt.of(need);
    }

    /** {@return the conditions that are set} */
    public Map<Condition, ConditionState> conditions() {
        Map<Condition, ConditionState> set = new LinkedHashMap<>();
        for (int index = 0; index < Abi.MAX_CONDITIONS; index++) {
            int start = Abi.Decision.CONDITIONS + index * Abi.Condition.SIZE;
            Truth truth = Truth.of(getInt(start + Abi.Condition.TRUTH));
            if (!truth.equals(Truth.ABSENT)) {
                Reason reason = new Reason(getInt(start + Abi.Condition.REASON));
                Optional<Instant> since = Times.instant(getLong(start + Abi.Condition.SINCE_MS));
                set.put(Condition.of(index), new ConditionState(truth, reason, since));
            }
        }
        return set;
    }

    /** {@return the whole reason as JSON, where the call was asked for it: {@link Observation#withReport}} */
    public Optional<JsonText> report() {
        return Optional.ofNullable(report).map(JsonText::of);
    }

    /** {@return the report as lines for a person: conditions, then step by step; "" without a report} */
    public String explain() {
        return report == null ? "" : Gputide.renderReport(report);
    }

    private int getInt(int offset) {
        return (int) INT.get(raw, offset);
    }

    private long getLong(int offset) {
        return (long) LONG.get(raw, offset);
    }

    private boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    /**
     * Refuses what is not a decision of this release.
     *
     * @param stream the serialized decision
     * @throws java.io.IOException it cannot be read, or is not such a text
     * @throws ClassNotFoundException its stream names a class that is not here
     */
    private void readObject(ObjectInputStream stream) throws java.io.IOException, ClassNotFoundException {
        stream.defaultReadObject();
        if (raw == null || raw.length != Abi.Decision.SIZE) {
            throw new InvalidObjectException("no decision of this release");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Decision its && Arrays.equals(its.raw, raw);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(raw);
    }

    @Override
    public String toString() {
        return "Decision[" + current() + " -> " + desired() + ", proposed " + proposed() + ", limited by " + limitedBy() + "]";
    }
}
