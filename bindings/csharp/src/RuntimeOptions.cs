using System;

namespace Gputide {
    /// <summary>Settings of a runtime.  0 or null: the library's default (docs/runtime.md).</summary>
    public sealed class RuntimeOptions {
        /// <summary>Events also for decisions that change nothing.</summary>
        public bool EveryDecision { get; set; }

        /// <summary>Events carry the decision as JSON, with conditions and trace.</summary>
        public bool Reports { get; set; }

        /// <summary>Equal queries of two scalers are sent twice.</summary>
        public bool NoSharing { get; set; }

        /// <summary>Each poll waits for an observation, which an event of kind Due requests.</summary>
        public bool ObserveFirst { get; set; }

        /// <summary>The seed of the start offsets.</summary>
        public ulong Seed { get; set; }

        /// <summary>The timeout of a poll.</summary>
        public TimeSpan? PollTimeout { get; set; }

        /// <summary>The time over which first polls are spread.</summary>
        public TimeSpan? StartSpread { get; set; }

        /// <summary>The age up to which scalers share a response.</summary>
        public TimeSpan? ShareWindow { get; set; }

        /// <summary>Requests in flight.</summary>
        public int MaxInFlight { get; set; }

        /// <summary>Requests in flight to one endpoint.</summary>
        public int MaxPerEndpoint { get; set; }

        /// <summary>Failures after which an endpoint's breaker opens.</summary>
        public int BreakerFailures { get; set; }

        /// <summary>The first pause of an open breaker.</summary>
        public TimeSpan? BreakerBase { get; set; }

        /// <summary>The longest pause.</summary>
        public TimeSpan? BreakerCap { get; set; }

        /// <summary>The time that polls are gathered.</summary>
        public TimeSpan? Gather { get; set; }

        /// <summary>Fills the struct of C; NULL for null.</summary>
        internal static unsafe gputide_runtime_options* In(CallMemory memory, RuntimeOptions options) {
            if (options == null) return null;
            var raw = (gputide_runtime_options*) memory.Bytes(sizeof(gputide_runtime_options));
            raw->struct_size = (uint) sizeof(gputide_runtime_options);
            raw->flags = (options.EveryDecision ? Abi.RUNTIME_EVERY_DECISION : 0)
                | (options.Reports ? Abi.RUNTIME_REPORTS : 0)
                | (options.NoSharing ? Abi.RUNTIME_NO_SHARING : 0)
                | (options.ObserveFirst ? Abi.RUNTIME_OBSERVE_FIRST : 0);
            raw->seed = options.Seed;
            raw->poll_timeout_ms = Ms(options.PollTimeout);
            raw->start_spread_ms = Ms(options.StartSpread);
            raw->share_window_ms = Ms(options.ShareWindow);
            raw->max_in_flight = options.MaxInFlight;
            raw->max_per_endpoint = options.MaxPerEndpoint;
            raw->breaker_failures = options.BreakerFailures;
            raw->breaker_base_ms = Ms(options.BreakerBase);
            raw->breaker_cap_ms = Ms(options.BreakerCap);
            raw->gather_ms = Ms(options.Gather);
            return raw;
        }

        private static int Ms(TimeSpan? duration) {
            return duration == null ? 0 : Durations.Ms(duration.Value);
        }
    }
}
