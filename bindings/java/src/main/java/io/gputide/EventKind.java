// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, without a
 * time limit. Decision and report are empty. CLUSTER: an event of an attached cluster (kubernetes.h): a
 * write and its end, leadership, a blocked scaler, a difference. The report is JSON (docs/json.md,
 * cluster_event); the decision is empty. A number of a newer library, without a name here, stays what it is.
 */
public final class EventKind extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_EVENT_DECISION}. */
    public static final EventKind DECISION = new EventKind(1, "DECISION");

    /** {@code GPUTIDE_EVENT_DUE}. */
    public static final EventKind DUE = new EventKind(2, "DUE");

    /** {@code GPUTIDE_EVENT_CLUSTER}. */
    public static final EventKind CLUSTER = new EventKind(3, "CLUSTER");

    private static final List<EventKind> VALUES = List.of(DECISION, DUE, CLUSTER);

    private EventKind(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<EventKind> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static EventKind of(int number) {
        return of(VALUES, number, EventKind::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::eventKindName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
