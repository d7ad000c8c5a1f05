// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * Reason of a condition, as Kubernetes and KEDA name it (gputide_reason_name). Append-only. A number of a
 * newer library, without a name here, stays what it is.
 */
public final class Reason extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_REASON_NONE}. */
    public static final Reason NONE = new Reason(0, "NONE");

    /** {@code GPUTIDE_REASON_FAILED_GET_SCALE}. */
    public static final Reason FAILED_GET_SCALE = new Reason(1, "FAILED_GET_SCALE");

    /** {@code GPUTIDE_REASON_SUCCEEDED_GET_SCALE}. */
    public static final Reason SUCCEEDED_GET_SCALE = new Reason(2, "SUCCEEDED_GET_SCALE");

    /** {@code GPUTIDE_REASON_READY_FOR_NEW_SCALE}. */
    public static final Reason READY_FOR_NEW_SCALE = new Reason(3, "READY_FOR_NEW_SCALE");

    /** {@code GPUTIDE_REASON_SCALE_DOWN_STABILIZED}. */
    public static final Reason SCALE_DOWN_STABILIZED = new Reason(4, "SCALE_DOWN_STABILIZED");

    /** {@code GPUTIDE_REASON_SCALE_UP_STABILIZED}. */
    public static final Reason SCALE_UP_STABILIZED = new Reason(5, "SCALE_UP_STABILIZED");

    /** {@code GPUTIDE_REASON_SUCCEEDED_RESCALE}. */
    public static final Reason SUCCEEDED_RESCALE = new Reason(6, "SUCCEEDED_RESCALE");

    /** {@code GPUTIDE_REASON_FAILED_UPDATE_SCALE}. */
    public static final Reason FAILED_UPDATE_SCALE = new Reason(7, "FAILED_UPDATE_SCALE");

    /** {@code GPUTIDE_REASON_VALID_METRIC_FOUND}. */
    public static final Reason VALID_METRIC_FOUND = new Reason(8, "VALID_METRIC_FOUND");

    /** {@code GPUTIDE_REASON_SCALING_DISABLED}. */
    public static final Reason SCALING_DISABLED = new Reason(9, "SCALING_DISABLED");

    /** {@code GPUTIDE_REASON_INVALID_SELECTOR}. */
    public static final Reason INVALID_SELECTOR = new Reason(10, "INVALID_SELECTOR");

    /** {@code GPUTIDE_REASON_AMBIGUOUS_SELECTOR}. */
    public static final Reason AMBIGUOUS_SELECTOR = new Reason(11, "AMBIGUOUS_SELECTOR");

    /** {@code GPUTIDE_REASON_FAILED_GET_RESOURCE_METRIC}. */
    public static final Reason FAILED_GET_RESOURCE_METRIC = new Reason(12, "FAILED_GET_RESOURCE_METRIC");

    /** {@code GPUTIDE_REASON_FAILED_GET_CONTAINER_RESOURCE_METRIC}. */
    public static final Reason FAILED_GET_CONTAINER_RESOURCE_METRIC = new Reason(13, "FAILED_GET_CONTAINER_RESOURCE_METRIC");

    /** {@code GPUTIDE_REASON_FAILED_GET_PODS_METRIC}. */
    public static final Reason FAILED_GET_PODS_METRIC = new Reason(14, "FAILED_GET_PODS_METRIC");

    /** {@code GPUTIDE_REASON_FAILED_GET_OBJECT_METRIC}. */
    public static final Reason FAILED_GET_OBJECT_METRIC = new Reason(15, "FAILED_GET_OBJECT_METRIC");

    /** {@code GPUTIDE_REASON_FAILED_GET_EXTERNAL_METRIC}. */
    public static final Reason FAILED_GET_EXTERNAL_METRIC = new Reason(16, "FAILED_GET_EXTERNAL_METRIC");

    /** {@code GPUTIDE_REASON_INVALID_METRIC_SOURCE_TYPE}. */
    public static final Reason INVALID_METRIC_SOURCE_TYPE = new Reason(17, "INVALID_METRIC_SOURCE_TYPE");

    /** {@code GPUTIDE_REASON_DESIRED_WITHIN_RANGE}. */
    public static final Reason DESIRED_WITHIN_RANGE = new Reason(18, "DESIRED_WITHIN_RANGE");

    /** {@code GPUTIDE_REASON_TOO_FEW_REPLICAS}. */
    public static final Reason TOO_FEW_REPLICAS = new Reason(19, "TOO_FEW_REPLICAS");

    /** {@code GPUTIDE_REASON_TOO_MANY_REPLICAS}. */
    public static final Reason TOO_MANY_REPLICAS = new Reason(20, "TOO_MANY_REPLICAS");

    /** {@code GPUTIDE_REASON_SCALE_UP_LIMIT}. */
    public static final Reason SCALE_UP_LIMIT = new Reason(21, "SCALE_UP_LIMIT");

    /** {@code GPUTIDE_REASON_SCALE_DOWN_LIMIT}. */
    public static final Reason SCALE_DOWN_LIMIT = new Reason(22, "SCALE_DOWN_LIMIT");

    /** {@code GPUTIDE_REASON_SCALED_TO_ZERO}. */
    public static final Reason SCALED_TO_ZERO = new Reason(23, "SCALED_TO_ZERO");

    /** {@code GPUTIDE_REASON_NOT_SCALED_TO_ZERO}. */
    public static final Reason NOT_SCALED_TO_ZERO = new Reason(24, "NOT_SCALED_TO_ZERO");

    /** {@code GPUTIDE_REASON_SCALED_OBJECT_READY}. */
    public static final Reason SCALED_OBJECT_READY = new Reason(25, "SCALED_OBJECT_READY");

    /** {@code GPUTIDE_REASON_ERROR_GETTING_CURRENT_REPLICAS}. */
    public static final Reason ERROR_GETTING_CURRENT_REPLICAS = new Reason(26, "ERROR_GETTING_CURRENT_REPLICAS");

    /** {@code GPUTIDE_REASON_TRIGGER_ERROR}. */
    public static final Reason TRIGGER_ERROR = new Reason(27, "TRIGGER_ERROR");

    /** {@code GPUTIDE_REASON_PARTIAL_TRIGGER_ERROR}. */
    public static final Reason PARTIAL_TRIGGER_ERROR = new Reason(28, "PARTIAL_TRIGGER_ERROR");

    /** {@code GPUTIDE_REASON_SCALER_ACTIVE}. */
    public static final Reason SCALER_ACTIVE = new Reason(29, "SCALER_ACTIVE");

    /** {@code GPUTIDE_REASON_SCALER_NOT_ACTIVE}. */
    public static final Reason SCALER_NOT_ACTIVE = new Reason(30, "SCALER_NOT_ACTIVE");

    /** {@code GPUTIDE_REASON_SCALER_COOLDOWN}. */
    public static final Reason SCALER_COOLDOWN = new Reason(31, "SCALER_COOLDOWN");

    /** {@code GPUTIDE_REASON_FALLBACK_EXISTS}. */
    public static final Reason FALLBACK_EXISTS = new Reason(32, "FALLBACK_EXISTS");

    /** {@code GPUTIDE_REASON_NO_FALLBACK_FOUND}. */
    public static final Reason NO_FALLBACK_FOUND = new Reason(33, "NO_FALLBACK_FOUND");

    /** {@code GPUTIDE_REASON_SCALED_OBJECT_PAUSED}. */
    public static final Reason SCALED_OBJECT_PAUSED = new Reason(34, "SCALED_OBJECT_PAUSED");

    /** {@code GPUTIDE_REASON_ERROR_SCALING_TARGET}: a write of KEDA's half was refused (KEDA 2.21). */
    public static final Reason ERROR_SCALING_TARGET = new Reason(35, "ERROR_SCALING_TARGET");

    private static final List<Reason> VALUES = List.of(NONE, FAILED_GET_SCALE, SUCCEEDED_GET_SCALE,
            READY_FOR_NEW_SCALE, SCALE_DOWN_STABILIZED, SCALE_UP_STABILIZED, SUCCEEDED_RESCALE,
            FAILED_UPDATE_SCALE, VALID_METRIC_FOUND, SCALING_DISABLED, INVALID_SELECTOR, AMBIGUOUS_SELECTOR,
            FAILED_GET_RESOURCE_METRIC, FAILED_GET_CONTAINER_RESOURCE_METRIC, FAILED_GET_PODS_METRIC,
            FAILED_GET_OBJECT_METRIC, FAILED_GET_EXTERNAL_METRIC, INVALID_METRIC_SOURCE_TYPE,
            DESIRED_WITHIN_RANGE, TOO_FEW_REPLICAS, TOO_MANY_REPLICAS, SCALE_UP_LIMIT, SCALE_DOWN_LIMIT,
            SCALED_TO_ZERO, NOT_SCALED_TO_ZERO, SCALED_OBJECT_READY, ERROR_GETTING_CURRENT_REPLICAS,
            TRIGGER_ERROR, PARTIAL_TRIGGER_ERROR, SCALER_ACTIVE, SCALER_NOT_ACTIVE, SCALER_COOLDOWN,
            FALLBACK_EXISTS, NO_FALLBACK_FOUND, SCALED_OBJECT_PAUSED, ERROR_SCALING_TARGET);

    private Reason(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Reason> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Reason of(int number) {
        return of(VALUES, number, Reason::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::reasonName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
