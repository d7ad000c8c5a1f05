// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * Conditions as {@code kubectl describe} shows them; index into gputide_decision.conditions. A number of a
 * newer library, without a name here, stays what it is.
 */
public final class Condition extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_ABLE_TO_SCALE}. */
    public static final Condition ABLE_TO_SCALE = new Condition(0, "ABLE_TO_SCALE");

    /** {@code GPUTIDE_SCALING_ACTIVE}. */
    public static final Condition SCALING_ACTIVE = new Condition(1, "SCALING_ACTIVE");

    /** {@code GPUTIDE_SCALING_LIMITED}. */
    public static final Condition SCALING_LIMITED = new Condition(2, "SCALING_LIMITED");

    /** {@code GPUTIDE_SCALED_TO_ZERO}. */
    public static final Condition SCALED_TO_ZERO = new Condition(3, "SCALED_TO_ZERO");

    /** {@code GPUTIDE_CONDITION_READY}. */
    public static final Condition READY = new Condition(4, "READY");

    /** {@code GPUTIDE_CONDITION_ACTIVE}. */
    public static final Condition ACTIVE = new Condition(5, "ACTIVE");

    /** {@code GPUTIDE_CONDITION_FALLBACK}. */
    public static final Condition FALLBACK = new Condition(6, "FALLBACK");

    /** {@code GPUTIDE_CONDITION_PAUSED}. */
    public static final Condition PAUSED = new Condition(7, "PAUSED");

    private static final List<Condition> VALUES = List.of(ABLE_TO_SCALE, SCALING_ACTIVE, SCALING_LIMITED,
            SCALED_TO_ZERO, READY, ACTIVE, FALLBACK, PAUSED);

    private Condition(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Condition> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Condition of(int number) {
        return of(VALUES, number, Condition::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::conditionName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
