package io.gputide;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.Optional;

/**
 * The memory of one scaler: activity, stabilization windows, scale events, failure counts.  Calls take turns.  A {@link Policy} makes
 * one; it decides by that policy, also after that was closed.
 */
public final class State extends Handle {
    private final Pointer policy;
    private final int metricCount;
    private final ByteBuffer memory; // a decision and the values that it is taken from, kept from one to the next
    private final long decision;
    private final long values;

    State(long address, Pointer policy, int metricCount) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::stateFree), policy);
        this.policy = policy;
        this.metricCount = metricCount;
        int bytes = Abi.Decision.SIZE + metricCount * Double.BYTES;
        memory = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        memory.putInt(Abi.Decision.STRUCT_SIZE, Abi.Decision.SIZE);
        decision = Memory.address(memory);
        values = decision + Abi.Decision.SIZE;
    }

    /**
     * The replica count that KEDA and the HPA would write.  No I/O; no clock where the observation has a time.
     *
     * <p>Worked: threshold 5, 3 replicas, value 42.5: ceil(42.5 / 5) = 9.
     *
     * @param observation what is true now, with a sample for each metric
     * @return the decision
     * @throws GputideException.Invalid the observation does not fit the policy
     */
    public Decision decide(Observation observation) {
        return inside((state, frame) -> {
            Struct made = frame.decision();
            frame.check(Native.decide(
                    policy.address(), state, observation.in(frame), made.address, observation.reportIn(frame), frame.error()));
            return Decision.of(made, frame.takeText());
        });
    }

    /**
     * The same from one number per metric, all of them true now.
     *
     * @param nowMs Unix milliseconds
     * @param current the target's spec.replicas
     * @param numbers one per metric of the policy; NaN and the infinities: that metric has no number
     * @return the decision
     * @throws GputideException.Invalid the numbers do not fit the policy
     */
    public Decision decide(long nowMs, int current, double... numbers) {
        long state = enter();
        try {
            decideHere(state, nowMs, current, numbers);
            return copied();
        } finally {
            leave();
        }
    }

    /**
     * As {@link #decide(long, int, double...)}, for loops that make no garbage: the decision stays in memory that the next one reuses.
     *
     * @param nowMs Unix milliseconds
     * @param current the target's spec.replicas
     * @param numbers one per metric of the policy; NaN and the infinities: that metric has no number
     * @return the size to write; {@link #last} gives the decision
     * @throws GputideException.Invalid the numbers do not fit the policy
     */
    public int desired(long nowMs, int current, double... numbers) {
        long state = enter();
        try {
            decideHere(state, nowMs, current, numbers);
            return memory.getInt(Abi.Decision.DESIRED_REPLICAS);
        } finally {
            leave();
        }
    }

    /** {@return what was decided from numbers last, by any thread; empty before the first} */
    public Optional<Decision> last() {
        enter();
        try {
            return memory.getLong(Abi.Decision.ID) == 0 ? Optional.empty() : Optional.of(copied());
        } finally {
            leave();
        }
    }

    private Decision copied() {
        byte[] raw = new byte[Abi.Decision.SIZE];
        memory.get(0, raw);
        return new Decision(raw, null);
    }

    private void decideHere(long state, long nowMs, int current, double[] numbers) {
        boolean asMany = numbers.length == metricCount;
        for (int index = 0; asMany && index < metricCount; index++) {
            memory.putDouble(Abi.Decision.SIZE + index * Double.BYTES, numbers[index]);
        }
        if (!asMany || Native.decideValues(policy.address(), state, nowMs, current, values, metricCount, decision, 0) != 0) {
            decideAloud(state, nowMs, current, numbers);
        }
    }

    /** With memory for the error; a call that failed has changed nothing, so that it may be made again. */
    private void decideAloud(long state, long nowMs, int current, double[] numbers) {
        try (Frame frame = Frame.take()) {
            long given = frame.struct(numbers.length * Double.BYTES).address;
            Memory.writeDoubles(given, numbers);
            frame.check(Native.decideValues(
                    policy.address(), state, nowMs, current, given, numbers.length, decision, frame.error()));
        }
    }

    /**
     * Records how the write of {@link Decision#desired} went, once; now by the clock.
     *
     * @param decision one of this state that wanted a write
     * @param applied whether it was written
     * @return the decision with its conditions and event as they are now
     * @throws GputideException.WrongState it was recorded already, or this state did not make it
     */
    public Decision record(Decision decision, boolean applied) {
        return record(decision, applied, null);
    }

    /**
     * As {@link #record(Decision, boolean)}.
     *
     * @param decision one of this state that wanted a write
     * @param applied whether it was written
     * @param now when; null: by the clock
     * @return the decision with its conditions and event as they are now
     */
    public Decision record(Decision decision, boolean applied, Instant now) {
        return inside((state, frame) -> {
            Struct made = decision.in(frame);
            frame.check(Native.stateRecord(
                    policy.address(), state, made.address, applied ? 1 : 0, Times.nowMs(now), frame.error()));
            return Decision.of(made, decision.reportText());
        });
    }

    /** {@return text that survives a restart, for {@link Policy#loadState}} */
    public String save() {
        return text((state, text, error) -> Native.stateSave(policy.address(), state, text, error));
    }

    /** {@return the same for people and programs that look into it} */
    public JsonText describe() {
        return json((state, text, error) -> Native.stateDescribe(policy.address(), state, text, error));
    }
}
