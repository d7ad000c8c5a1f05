// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** What limited the decision. A number of a newer library, without a name here, stays what it is. */
public final class Limit extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_LIMIT_NONE}. */
    public static final Limit NONE = new Limit(0, "NONE");

    /** {@code GPUTIDE_LIMIT_TOLERANCE}. */
    public static final Limit TOLERANCE = new Limit(1, "TOLERANCE");

    /** {@code GPUTIDE_LIMIT_STABILIZED}. */
    public static final Limit STABILIZED = new Limit(2, "STABILIZED");

    /** {@code GPUTIDE_LIMIT_SCALE_UP}. */
    public static final Limit SCALE_UP = new Limit(3, "SCALE_UP");

    /** {@code GPUTIDE_LIMIT_SCALE_DOWN}. */
    public static final Limit SCALE_DOWN = new Limit(4, "SCALE_DOWN");

    /** {@code GPUTIDE_LIMIT_MIN}. */
    public static final Limit MIN = new Limit(5, "MIN");

    /** {@code GPUTIDE_LIMIT_MAX}. */
    public static final Limit MAX = new Limit(6, "MAX");

    /** {@code GPUTIDE_LIMIT_COOLDOWN}. */
    public static final Limit COOLDOWN = new Limit(7, "COOLDOWN");

    /** {@code GPUTIDE_LIMIT_FALLBACK}. */
    public static final Limit FALLBACK = new Limit(8, "FALLBACK");

    /** {@code GPUTIDE_LIMIT_PAUSED}. */
    public static final Limit PAUSED = new Limit(9, "PAUSED");

    /** {@code GPUTIDE_LIMIT_NOT_DUE}. */
    public static final Limit NOT_DUE = new Limit(10, "NOT_DUE");

    /** {@code GPUTIDE_LIMIT_NO_DATA}. */
    public static final Limit NO_DATA = new Limit(11, "NO_DATA");

    /** {@code GPUTIDE_LIMIT_BUDGET}. */
    public static final Limit BUDGET = new Limit(12, "BUDGET");

    /** {@code GPUTIDE_LIMIT_FORECAST}: raised by gputide.io/forecast. */
    public static final Limit FORECAST = new Limit(13, "FORECAST");

    private static final List<Limit> VALUES = List.of(NONE, TOLERANCE, STABILIZED, SCALE_UP, SCALE_DOWN, MIN,
            MAX, COOLDOWN, FALLBACK, PAUSED, NOT_DUE, NO_DATA, BUDGET, FORECAST);

    private Limit(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Limit> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Limit of(int number) {
        return of(VALUES, number, Limit::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::limitName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
