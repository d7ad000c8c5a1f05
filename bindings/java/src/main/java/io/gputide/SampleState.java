// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** Sample state. A number of a newer library, without a name here, stays what it is. */
public final class SampleState extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_SAMPLE_NOT_GIVEN}: not read, or not given. */
    public static final SampleState NOT_GIVEN = new SampleState(0, "NOT_GIVEN");

    /** {@code GPUTIDE_SAMPLE_OK}. */
    public static final SampleState OK = new SampleState(1, "OK");

    /** {@code GPUTIDE_SAMPLE_EMPTY}: the query matched nothing. */
    public static final SampleState EMPTY = new SampleState(2, "EMPTY");

    /** {@code GPUTIDE_SAMPLE_NOT_A_NUMBER}: NaN or an infinity. */
    public static final SampleState NOT_A_NUMBER = new SampleState(3, "NOT_A_NUMBER");

    /** {@code GPUTIDE_SAMPLE_STALE}. */
    public static final SampleState STALE = new SampleState(4, "STALE");

    /** {@code GPUTIDE_SAMPLE_PARTIAL}. */
    public static final SampleState PARTIAL = new SampleState(5, "PARTIAL");

    /** {@code GPUTIDE_SAMPLE_AMBIGUOUS}. */
    public static final SampleState AMBIGUOUS = new SampleState(6, "AMBIGUOUS");

    /** {@code GPUTIDE_SAMPLE_AUTH}. */
    public static final SampleState AUTH = new SampleState(7, "AUTH");

    /** {@code GPUTIDE_SAMPLE_TIMEOUT}. */
    public static final SampleState TIMEOUT = new SampleState(8, "TIMEOUT");

    /** {@code GPUTIDE_SAMPLE_FAILED}. */
    public static final SampleState FAILED = new SampleState(9, "FAILED");

    private static final List<SampleState> VALUES = List.of(NOT_GIVEN, OK, EMPTY, NOT_A_NUMBER, STALE,
            PARTIAL, AMBIGUOUS, AUTH, TIMEOUT, FAILED);

    private SampleState(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<SampleState> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static SampleState of(int number) {
        return of(VALUES, number, SampleState::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::sampleStateName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
