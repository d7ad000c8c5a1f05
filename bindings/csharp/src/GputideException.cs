using System;

namespace Gputide {
    /// <summary>A call failed.  Message is "where: what".  Each status has a class, such as GputideException.Throttled; a status of a
    /// newer library is this class.</summary>
    public partial class GputideException : Exception {
        private readonly Members members;

        internal sealed class Members {
            internal Status Status;
            internal NextAction Action;
            internal bool IsRetryable;
            internal int HttpStatus;
            internal long RetryAtMs;
            internal string ServiceCode = "", Where = "", What = "", Detail = "";
        }

        internal GputideException(Members members)
            : base(members.Where.Length == 0 ? members.What : members.Where + ": " + members.What) {
            this.members = members;
        }

        /// <summary>What went wrong.</summary>
        public Status Status {
            get { return members.Status; }
        }

        /// <summary>What to do next.</summary>
        public NextAction Action {
            get { return members.Action; }
        }

        /// <summary>Whether the same call, unchanged, can succeed later.</summary>
        public bool IsRetryable {
            get { return members.IsRetryable; }
        }

        /// <summary>When to retry, if the server said so.</summary>
        public Moment RetryAt {
            get { return Moment.At(members.RetryAtMs); }
        }

        /// <summary>The status of the response that failed; 0: there was none.</summary>
        public int HttpStatus {
            get { return members.HttpStatus; }
        }

        /// <summary>The service's own code, such as AADSTS700024; "" without one.</summary>
        public string ServiceCode {
            get { return members.ServiceCode; }
        }

        /// <summary>The place, such as "so.yaml:17 spec.triggers[0].metadata.threshold".</summary>
        public string Where {
            get { return members.Where; }
        }

        /// <summary>The message without its place.</summary>
        public string What {
            get { return members.What; }
        }

        /// <summary>Further facts as JSON; "" without any.</summary>
        public string Detail {
            get { return members.Detail; }
        }

        /// <summary>Of a failed read: the sample that a decision takes; otherwise null.</summary>
        public Sample Sample { get; internal set; }

        internal static unsafe GputideException Of(gputide_error* raw) {
            return Of(new Members {
                Status = (Status) raw->status,
                Action = (NextAction) raw->action,
                IsRetryable = raw->retryable != 0,
                HttpStatus = raw->http_status,
                RetryAtMs = raw->retry_at_ms,
                ServiceCode = Texts.Decoded(raw->service_code),
                Where = Texts.Decoded(raw->where),
                What = Texts.Decoded(raw->message),
                Detail = Texts.Decoded(raw->detail),
            });
        }

        internal static GputideException CancelledEarly() {
            return Of(new Members { Status = Status.Cancelled, What = "canceled by the caller" });
        }

        internal static GputideException TimedOut(string what) {
            return Of(new Members { Status = Status.Timeout, Action = NextAction.Retry, IsRetryable = true, What = what });
        }
    }
}
