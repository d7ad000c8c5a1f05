// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * The half that made the decision; 0: no decision yet. A number of a newer library, without a name here,
 * stays what it is.
 */
public final class DecisionSource extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_SOURCE_HPA}. */
    public static final DecisionSource HPA = new DecisionSource(1, "HPA");

    /** {@code GPUTIDE_SOURCE_EXECUTOR}. */
    public static final DecisionSource EXECUTOR = new DecisionSource(2, "EXECUTOR");

    private static final List<DecisionSource> VALUES = List.of(HPA, EXECUTOR);

    private DecisionSource(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<DecisionSource> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static DecisionSource of(int number) {
        return of(VALUES, number, DecisionSource::new);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
