package io.gputide;

import io.gputide.GputideException.Members;

/** The result of a failed call, as the exception that its status has. */
final class Failures {
    private Failures() {}

    /** From the gputide_error that C wrote. */
    static GputideException of(Struct error) {
        return of(membersOf(error), null);
    }

    /** The error of a wait that ended before C was asked. */
    static GputideException timeout(String what) {
        return of(new Members(Status.TIMEOUT.number(), Action.RETRY.number(), true, 0, 0, "", "", what, ""), null);
    }

    private static Members membersOf(Struct error) {
        return new Members(
                error.getInt(Abi.Error.STATUS),
                error.getInt(Abi.Error.ACTION),
                error.getInt(Abi.Error.RETRYABLE) != 0,
                error.getInt(Abi.Error.HTTP_STATUS),
                error.getLong(Abi.Error.RETRY_AT_MS),
                error.getText(Abi.Error.SERVICE_CODE, Abi.Error.SERVICE_CODE_BYTES),
                error.getText(Abi.Error.WHERE, Abi.Error.WHERE_BYTES),
                error.getText(Abi.Error.MESSAGE, Abi.Error.MESSAGE_BYTES),
                error.getText(Abi.Error.DETAIL, Abi.Error.DETAIL_BYTES));
    }

    /** sample: of a read; null where the call was none. */
    static GputideException of(Members members, Sample sample) {
        return switch (members.status()) {
            case Abi.E_INVALID -> new GputideException.Invalid(members, sample);
            case Abi.E_AUTH -> new GputideException.Auth(members, sample);
            case Abi.E_FORBIDDEN -> new GputideException.Forbidden(members, sample);
            case Abi.E_THROTTLED -> new GputideException.Throttled(members, sample);
            case Abi.E_UNAVAILABLE -> new GputideException.Unavailable(members, sample);
            case Abi.E_UNSUPPORTED -> new GputideException.Unsupported(members, sample);
            case Abi.E_TIMEOUT -> new GputideException.Timeout(members, sample);
            case Abi.E_CANCELLED -> new GputideException.Cancelled(members, sample);
            case Abi.E_REJECTED -> new GputideException.Rejected(members, sample);
            case Abi.E_PROTOCOL -> new GputideException.Protocol(members, sample);
            case Abi.E_SECURITY -> new GputideException.Security(members, sample);
            case Abi.E_NO_DATA -> new GputideException.NoData(members, sample);
            case Abi.E_AMBIGUOUS -> new GputideException.Ambiguous(members, sample);
            case Abi.E_PARTIAL -> new GputideException.Partial(members, sample);
            case Abi.E_LIMIT -> new GputideException.LimitExceeded(members, sample);
            case Abi.E_STATE -> new GputideException.WrongState(members, sample);
            case Abi.E_TOO_NEW -> new GputideException.TooNew(members, sample);
            case Abi.E_NO_MEMORY -> new GputideException.NoMemory(members, sample);
            case Abi.E_BUG -> new GputideException.Bug(members, sample);
            case Abi.E_NOT_FOUND -> new GputideException.NotFound(members, sample);
            default -> new GputideException(members, sample);
        };
    }
}
