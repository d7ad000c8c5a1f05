// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * The event that KEDA would emit for the object. A number of a newer library, without a name here, stays
 * what it is.
 */
public final class ScaleEvent extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_NO_SCALE_EVENT}. */
    public static final ScaleEvent NO_SCALE_EVENT = new ScaleEvent(0, "NO_SCALE_EVENT");

    /** {@code GPUTIDE_ACTIVATED}. */
    public static final ScaleEvent ACTIVATED = new ScaleEvent(1, "ACTIVATED");

    /** {@code GPUTIDE_DEACTIVATED}. */
    public static final ScaleEvent DEACTIVATED = new ScaleEvent(2, "DEACTIVATED");

    /** {@code GPUTIDE_ACTIVATION_FAILED}. */
    public static final ScaleEvent ACTIVATION_FAILED = new ScaleEvent(3, "ACTIVATION_FAILED");

    /** {@code GPUTIDE_DEACTIVATION_FAILED}. */
    public static final ScaleEvent DEACTIVATION_FAILED = new ScaleEvent(4, "DEACTIVATION_FAILED");

    private static final List<ScaleEvent> VALUES = List.of(NO_SCALE_EVENT, ACTIVATED, DEACTIVATED,
            ACTIVATION_FAILED, DEACTIVATION_FAILED);

    private ScaleEvent(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<ScaleEvent> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static ScaleEvent of(int number) {
        return of(VALUES, number, ScaleEvent::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::eventName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
