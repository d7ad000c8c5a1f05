// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** Result of a floor. A number of a newer library, without a name here, stays what it is. */
public final class FloorReason extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_FLOOR_RAISED}. */
    public static final FloorReason RAISED = new FloorReason(1, "RAISED");

    /** {@code GPUTIDE_FLOOR_WITHIN_REACTIVE}: the reactive size is enough. */
    public static final FloorReason WITHIN_REACTIVE = new FloorReason(2, "WITHIN_REACTIVE");

    /** {@code GPUTIDE_FLOOR_CAPPED_BY_MAX}. */
    public static final FloorReason CAPPED_BY_MAX = new FloorReason(3, "CAPPED_BY_MAX");

    /** {@code GPUTIDE_FLOOR_CAPPED_BY_RAISE}: by max_raise_percent. */
    public static final FloorReason CAPPED_BY_RAISE = new FloorReason(4, "CAPPED_BY_RAISE");

    /** {@code GPUTIDE_FLOOR_OBSERVE}: not raised because mode is observe. */
    public static final FloorReason OBSERVE = new FloorReason(5, "OBSERVE");

    /** {@code GPUTIDE_FLOOR_WARMING_UP}: from here on: no floor. */
    public static final FloorReason WARMING_UP = new FloorReason(6, "WARMING_UP");

    /** {@code GPUTIDE_FLOOR_NOT_BETTER}. */
    public static final FloorReason NOT_BETTER = new FloorReason(7, "NOT_BETTER");

    /** {@code GPUTIDE_FLOOR_BUDGET_SPENT}. */
    public static final FloorReason BUDGET_SPENT = new FloorReason(8, "BUDGET_SPENT");

    /** {@code GPUTIDE_FLOOR_NO_RECENT_VALUE}. */
    public static final FloorReason NO_RECENT_VALUE = new FloorReason(9, "NO_RECENT_VALUE");

    /** {@code GPUTIDE_FLOOR_AT_ZERO}: a forecast does not start a workload from zero. */
    public static final FloorReason AT_ZERO = new FloorReason(10, "AT_ZERO");

    private static final List<FloorReason> VALUES = List.of(RAISED, WITHIN_REACTIVE, CAPPED_BY_MAX,
            CAPPED_BY_RAISE, OBSERVE, WARMING_UP, NOT_BETTER, BUDGET_SPENT, NO_RECENT_VALUE, AT_ZERO);

    private FloorReason(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<FloorReason> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static FloorReason of(int number) {
        return of(VALUES, number, FloorReason::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::floorReasonName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
