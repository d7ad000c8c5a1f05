// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * Pods, for metrics of type Pods, Resource and ContainerResource only. A number of a newer library, without
 * a name here, stays what it is.
 */
public final class PodPhase extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_POD_RUNNING}. */
    public static final PodPhase RUNNING = new PodPhase(1, "RUNNING");

    /** {@code GPUTIDE_POD_PENDING}. */
    public static final PodPhase PENDING = new PodPhase(2, "PENDING");

    /** {@code GPUTIDE_POD_SUCCEEDED}. */
    public static final PodPhase SUCCEEDED = new PodPhase(3, "SUCCEEDED");

    /** {@code GPUTIDE_POD_FAILED}. */
    public static final PodPhase FAILED = new PodPhase(4, "FAILED");

    /** {@code GPUTIDE_POD_UNKNOWN}. */
    public static final PodPhase UNKNOWN = new PodPhase(5, "UNKNOWN");

    private static final List<PodPhase> VALUES = List.of(RUNNING, PENDING, SUCCEEDED, FAILED, UNKNOWN);

    private PodPhase(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<PodPhase> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static PodPhase of(int number) {
        return of(VALUES, number, PodPhase::new);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
