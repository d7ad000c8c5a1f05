// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** Readiness. A number of a newer library, without a name here, stays what it is. */
public final class Readiness extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_READY_YES}. */
    public static final Readiness YES = new Readiness(1, "YES");

    /** {@code GPUTIDE_READY_NO}. */
    public static final Readiness NO = new Readiness(2, "NO");

    /** {@code GPUTIDE_READY_NO_CONDITION}. */
    public static final Readiness NO_CONDITION = new Readiness(3, "NO_CONDITION");

    /** {@code GPUTIDE_READY_UNKNOWN}. */
    public static final Readiness UNKNOWN = new Readiness(4, "UNKNOWN");

    private static final List<Readiness> VALUES = List.of(YES, NO, NO_CONDITION, UNKNOWN);

    private Readiness(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Readiness> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Readiness of(int number) {
        return of(VALUES, number, Readiness::new);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
