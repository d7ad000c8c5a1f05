// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** State of a forecast. A number of a newer library, without a name here, stays what it is. */
public final class ForecastState extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_FORECAST_WARMING}: too few scores. */
    public static final ForecastState WARMING = new ForecastState(1, "WARMING");

    /** {@code GPUTIDE_FORECAST_OFF}: not better than the last value. */
    public static final ForecastState OFF = new ForecastState(2, "OFF");

    /** {@code GPUTIDE_FORECAST_SPENT}: the budget is spent. */
    public static final ForecastState SPENT = new ForecastState(3, "SPENT");

    /** {@code GPUTIDE_FORECAST_ON}. */
    public static final ForecastState ON = new ForecastState(4, "ON");

    private static final List<ForecastState> VALUES = List.of(WARMING, OFF, SPENT, ON);

    private ForecastState(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<ForecastState> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static ForecastState of(int number) {
        return of(VALUES, number, ForecastState::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::forecastStateName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
