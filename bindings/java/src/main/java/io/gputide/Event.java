package io.gputide;

import java.time.Instant;
import java.util.Optional;

/** A report of a runtime about one scaler: a decision, or (kind DUE) that it wants an observation. */
public final class Event {
    private final EventKind kind;
    private final long id;
    private final long tag;
    private final long sequence;
    private final long observedMs;
    private final int replaced;
    private final String name;
    private final Decision decision;

    private Event(Struct raw, Decision decision) {
        kind = EventKind.of(raw.getInt(Abi.Event.KIND));
        id = raw.getLong(Abi.Event.ID);
        tag = raw.getLong(Abi.Event.TAG);
        sequence = raw.getLong(Abi.Event.SEQUENCE);
        observedMs = raw.getLong(Abi.Event.OBSERVED_MS);
        replaced = raw.getInt(Abi.Event.REPLACED);
        name = raw.getText(Abi.Event.NAME, Abi.Event.NAME_BYTES);
        this.decision = decision;
    }

    /** The next one of an entered runtime; empty where none comes in time. */
    static Optional<Event> next(long runtime, long cancel, int timeoutMs, Frame frame) {
        Struct event = frame.event();
        Struct decision = frame.decision();
        int status = Native.runtimeNextEvent(
                runtime, timeoutMs, cancel, event.address, decision.address, frame.text(), frame.error());
        if (status == Abi.E_NO_DATA) {
            return Optional.empty();
        }
        frame.check(status);
        return Optional.of(new Event(event, Decision.of(decision, frame.takeText())));
    }

    /** {@return a decision, or the wish for an observation} */
    public EventKind kind() {
        return kind;
    }

    /** {@return whether the runtime waits for an observation of the scaler; there is no decision to act on} */
    public boolean isDue() {
        return kind.equals(EventKind.DUE);
    }

    /** {@return the scaler's number, as {@link ScalerRuntime#add(String)} gave it} */
    public long id() {
        return id;
    }

    /** {@return the host's own number for it} */
    public long tag() {
        return tag;
    }

    /** {@return "namespace/name"} */
    public String name() {
        return name;
    }

    /** {@return 1, 2, 3, ... in the order in which events are taken} */
    public long sequence() {
        return sequence;
    }

    /** {@return when the host saw what the decision stands on; empty where it has not observation anything} */
    public Optional<Instant> observed() {
        return Times.instant(observedMs);
    }

    /** {@return how many decisions of this scaler that the host did not take in time; this one stands for them} */
    public int replaced() {
        return Math.toIntExact(Integer.toUnsignedLong(replaced));
    }

    /** {@return what was decided; of an event that is due: nothing, its sizes are 0} */
    public Decision decision() {
        return decision;
    }

    /** {@return the size that was decided on} */
    public int current() {
        return decision.current();
    }

    /** {@return the size to write} */
    public int desired() {
        return decision.desired();
    }

    /** {@return whether the size is to be written} */
    public boolean wantsWrite() {
        return !isDue() && decision.wantsWrite();
    }

    @Override
    public String toString() {
        return isDue() ? "Event[" + name + " due]" : "Event[" + name + " " + current() + " -> " + desired() + "]";
    }
}
