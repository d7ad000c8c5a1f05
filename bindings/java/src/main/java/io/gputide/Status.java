// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** Status. A number of a newer library, without a name here, stays what it is. */
public final class Status extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_OK}. */
    public static final Status OK = new Status(0, "OK");

    /** {@code GPUTIDE_E_INVALID}: a manifest, setting or argument is wrong. */
    public static final Status INVALID = new Status(1, "INVALID");

    /** {@code GPUTIDE_E_AUTH}: credentials were refused. */
    public static final Status AUTH = new Status(2, "AUTH");

    /** {@code GPUTIDE_E_FORBIDDEN}: credentials are valid, a role is missing. */
    public static final Status FORBIDDEN = new Status(3, "FORBIDDEN");

    /** {@code GPUTIDE_E_THROTTLED}: too many requests: wait until retry_at_ms. */
    public static final Status THROTTLED = new Status(4, "THROTTLED");

    /** {@code GPUTIDE_E_UNAVAILABLE}: network or service, temporarily. */
    public static final Status UNAVAILABLE = new Status(5, "UNAVAILABLE");

    /**
     * {@code GPUTIDE_E_UNSUPPORTED}: not supported here, such as a credential source that this machine
     * lacks.
     */
    public static final Status UNSUPPORTED = new Status(6, "UNSUPPORTED");

    /** {@code GPUTIDE_E_TIMEOUT}: the caller's deadline, or the server's own. */
    public static final Status TIMEOUT = new Status(7, "TIMEOUT");

    /** {@code GPUTIDE_E_CANCELLED}: gputide_cancel_fire, or the handle was closed. */
    public static final Status CANCELLED = new Status(8, "CANCELLED");

    /** {@code GPUTIDE_E_REJECTED}: the server refuses this query permanently. */
    public static final Status REJECTED = new Status(9, "REJECTED");

    /** {@code GPUTIDE_E_PROTOCOL}: an invalid response. */
    public static final Status PROTOCOL = new Status(10, "PROTOCOL");

    /** {@code GPUTIDE_E_SECURITY}: stopped because continuing is unsafe. */
    public static final Status SECURITY = new Status(11, "SECURITY");

    /** {@code GPUTIDE_E_NO_DATA}: the query works and returns no value. */
    public static final Status NO_DATA = new Status(12, "NO_DATA");

    /** {@code GPUTIDE_E_AMBIGUOUS}: several values where exactly one is needed. */
    public static final Status AMBIGUOUS = new Status(13, "AMBIGUOUS");

    /** {@code GPUTIDE_E_PARTIAL}: the server marked its response as incomplete. */
    public static final Status PARTIAL = new Status(14, "PARTIAL");

    /** {@code GPUTIDE_E_LIMIT}: a size, depth or count limit of this library. */
    public static final Status LIMIT = new Status(15, "LIMIT");

    /**
     * {@code GPUTIDE_E_STATE}: a damaged or foreign saved state; a call that is not allowed after an earlier
     * one.
     */
    public static final Status STATE = new Status(16, "STATE");

    /** {@code GPUTIDE_E_TOO_NEW}: a struct with members or flags that this library does not know. */
    public static final Status TOO_NEW = new Status(17, "TOO_NEW");

    /** {@code GPUTIDE_E_NO_MEMORY}. */
    public static final Status NO_MEMORY = new Status(18, "NO_MEMORY");

    /** {@code GPUTIDE_E_BUG}: a bug of this library: please report it with the message. */
    public static final Status BUG = new Status(19, "BUG");

    /** {@code GPUTIDE_E_NOT_FOUND}: an unknown id or name. */
    public static final Status NOT_FOUND = new Status(20, "NOT_FOUND");

    private static final List<Status> VALUES = List.of(OK, INVALID, AUTH, FORBIDDEN, THROTTLED, UNAVAILABLE,
            UNSUPPORTED, TIMEOUT, CANCELLED, REJECTED, PROTOCOL, SECURITY, NO_DATA, AMBIGUOUS, PARTIAL, LIMIT,
            STATE, TOO_NEW, NO_MEMORY, BUG, NOT_FOUND);

    private Status(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Status> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Status of(int number) {
        return of(VALUES, number, Status::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::statusName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
