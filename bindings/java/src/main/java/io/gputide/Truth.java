// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** Truth. A number of a newer library, without a name here, stays what it is. */
public final class Truth extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_ABSENT}. */
    public static final Truth ABSENT = new Truth(0, "ABSENT");

    /** {@code GPUTIDE_TRUE}. */
    public static final Truth TRUE = new Truth(1, "TRUE");

    /** {@code GPUTIDE_FALSE}. */
    public static final Truth FALSE = new Truth(2, "FALSE");

    /** {@code GPUTIDE_UNKNOWN}. */
    public static final Truth UNKNOWN = new Truth(3, "UNKNOWN");

    private static final List<Truth> VALUES = List.of(ABSENT, TRUE, FALSE, UNKNOWN);

    private Truth(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Truth> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Truth of(int number) {
        return of(VALUES, number, Truth::new);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
