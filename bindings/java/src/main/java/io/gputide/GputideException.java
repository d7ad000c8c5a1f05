package io.gputide;

import java.io.Serializable;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A call failed.  Its message is {@code where: what}, where there is a place.  Each status has a class of its own here, so that one can
 * catch {@link Throttled}; one of a newer library is plainly this.
 */
public class GputideException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The text that C said. */
    private final Members members;
    private final transient Sample sample;

    /** gputide_error without its fixed buffers. */
    record Members(
            int status,
            int action,
            boolean retryable,
            int httpStatus,
            long retryAtMs,
            String serviceCode,
            String where,
            String what,
            String detail)
            implements Serializable {}

    GputideException(Members members, Sample sample) {
        super(members.where.isEmpty() ? members.what : members.where + ": " + members.what);
        this.members = members;
        this.sample = sample;
    }

    /** {@return what went wrong} */
    public Status status() {
        return Status.of(members.status);
    }

    /** {@return what to do next} */
    public Action action() {
        return Action.of(members.action);
    }

    /** {@return whether the same call, unchanged, may work later} */
    public boolean isRetryable() {
        return members.retryable;
    }

    /** {@return from when on it may work; empty if unknown} */
    public Optional<Instant> retryAt() {
        return Times.instant(members.retryAtMs);
    }

    /** {@return the status of the answer that failed; empty where there was none} */
    public OptionalInt httpStatus() {
        return members.httpStatus == 0 ? OptionalInt.empty() : OptionalInt.of(members.httpStatus);
    }

    /** {@return the peer's own word, such as AADSTS700024 or bad_data; "" without one} */
    public String serviceCode() {
        return members.serviceCode;
    }

    /** {@return the place, such as {@code so.yaml:17 spec.triggers[0].metadata.threshold}; "" without one} */
    public String where() {
        return members.where;
    }

    /** {@return which thing, what was expected, what came, what to do: the message without its place} */
    public String what() {
        return members.what;
    }

    /** {@return what else is known, as a JSON object; empty where that is nothing, or too much for the buffer that C gives it} */
    public Optional<JsonText> detail() {
        return members.detail.isEmpty() ? Optional.empty() : Optional.of(JsonText.of(members.detail));
    }

    /** {@return what a decision takes in place of the number, where a source was read in vain} */
    public Optional<Sample> sample() {
        return Optional.ofNullable(sample);
    }

    /** The same with the sample of a read that failed. */
    GputideException with(Sample read) {
        GputideException same = Failures.of(members, read);
        same.setStackTrace(getStackTrace());
        return same;
    }

    /** A manifest, setting or argument is wrong. */
    public static final class Invalid extends GputideException {
        private static final long serialVersionUID = 1L;

        Invalid(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Credentials were refused. */
    public static final class Auth extends GputideException {
        private static final long serialVersionUID = 1L;

        Auth(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Credentials are good, a role is missing. */
    public static final class Forbidden extends GputideException {
        private static final long serialVersionUID = 1L;

        Forbidden(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Too many requests: wait until {@link #retryAt}. */
    public static final class Throttled extends GputideException {
        private static final long serialVersionUID = 1L;

        Throttled(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Network or service, for now. */
    public static final class Unavailable extends GputideException {
        private static final long serialVersionUID = 1L;

        Unavailable(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** This credential source does not exist on this machine. */
    public static final class Unsupported extends GputideException {
        private static final long serialVersionUID = 1L;

        Unsupported(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** The caller's deadline, or the peer's own. */
    public static final class Timeout extends GputideException {
        private static final long serialVersionUID = 1L;

        Timeout(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** The call was canceled, or its handle closed. */
    public static final class Cancelled extends GputideException {
        private static final long serialVersionUID = 1L;

        Cancelled(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** The peer refuses this query for good. */
    public static final class Rejected extends GputideException {
        private static final long serialVersionUID = 1L;

        Rejected(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** An answer that cannot be used. */
    public static final class Protocol extends GputideException {
        private static final long serialVersionUID = 1L;

        Protocol(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Going on would have been unsafe. */
    public static final class Security extends GputideException {
        private static final long serialVersionUID = 1L;

        Security(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** The query works and there is no value. */
    public static final class NoData extends GputideException {
        private static final long serialVersionUID = 1L;

        NoData(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Several where one is needed. */
    public static final class Ambiguous extends GputideException {
        private static final long serialVersionUID = 1L;

        Ambiguous(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** The peer says that its answer is incomplete. */
    public static final class Partial extends GputideException {
        private static final long serialVersionUID = 1L;

        Partial(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** A size, depth or count limit of the library. */
    public static final class LimitExceeded extends GputideException {
        private static final long serialVersionUID = 1L;

        LimitExceeded(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** A saved state that is damaged or foreign; a call that does not fit what was done before. */
    public static final class WrongState extends GputideException {
        private static final long serialVersionUID = 1L;

        WrongState(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** The library does not know what was asked of it: it is older than this package. */
    public static final class TooNew extends GputideException {
        private static final long serialVersionUID = 1L;

        TooNew(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Memory ran out. */
    public static final class NoMemory extends GputideException {
        private static final long serialVersionUID = 1L;

        NoMemory(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** Ours: please report it with the message. */
    public static final class Bug extends GputideException {
        private static final long serialVersionUID = 1L;

        Bug(Members members, Sample sample) {
            super(members, sample);
        }
    }

    /** An id or name that is not there. */
    public static final class NotFound extends GputideException {
        private static final long serialVersionUID = 1L;

        NotFound(Members members, Sample sample) {
            super(members, sample);
        }
    }
}
