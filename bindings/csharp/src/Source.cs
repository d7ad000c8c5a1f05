using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>One entry of a ScaledObject's triggers, and the TriggerAuthentication that it names.  Calls take turns.</summary>
    public sealed unsafe class Source : Handle {
        private readonly SourceHandle source;

        private Source(SourceHandle source) : base(true, source) {
            this.source = source;
        }

        /// <summary>Opens a trigger.  No request is made.</summary>
        public static Source Open(Text text, Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                SourceHandle made;
                memory.Check(Native.source_open(text.Bytes, text.Size, Options.In(memory, options), out made, memory.Error));
                return new Source(made);
            }
        }

        /// <summary>Reads one value over the network.  The exception of a read that fails has its Sample.  The timeout is 10 s by
        /// default.</summary>
        public Sample Fetch(Moment now = default(Moment), TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Fetching(now).Here(timeout, cancel);
        }

        /// <summary>As Fetch, in a thread of its own.</summary>
        public Task<Sample> FetchAsync(Moment now = default(Moment), TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Fetching(now).Async(timeout, cancel);
        }

        private Wait<Sample> Fetching(Moment now) {
            return new Wait<Sample>((memory, cancel, leftMs) => {
                gputide_sample* raw = New(memory);
                return Read(memory, raw, Native.source_fetch(source, now.OrNow, leftMs, cancel, raw, memory.Error));
            }, this);
        }

        private static gputide_sample* New(CallMemory memory) {
            var raw = (gputide_sample*) memory.Bytes(sizeof(gputide_sample));
            raw->struct_size = (uint) sizeof(gputide_sample);
            return raw;
        }

        /// <summary>A failed read gives its reason twice: as the exception, and as the sample that a decision takes.</summary>
        private static Sample Read(CallMemory memory, gputide_sample* raw, int status) {
            if (status != (int) Status.Ok) {
                GputideException problem = GputideException.Of(memory.Error);
                problem.Sample = raw->state == (int) SampleState.NotGiven ? null : Sample.Of(raw);
                throw problem;
            }
            return Sample.Of(raw);
        }

        /// <summary>Reads all series, not reduced to one number, as JSON: every point with its labels, warnings, infos,
        /// partial.</summary>
        public string FetchAll(Moment now = default(Moment), TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return FetchingAll(now).Here(timeout, cancel);
        }

        /// <summary>As FetchAll, in a thread of its own.</summary>
        public Task<string> FetchAllAsync(Moment now = default(Moment), TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return FetchingAll(now).Async(timeout, cancel);
        }

        private Wait<string> FetchingAll(Moment now) {
            return new Wait<string>((memory, cancel, leftMs) => {
                memory.Check(Native.source_fetch_all(source, now.OrNow, leftMs, cancel, memory.Text, memory.Error));
                return memory.TakeText();
            }, this);
        }

        /// <summary>Returns the request as JSON: method, url, headers, body.  It holds no cloud token.</summary>
        public string Request(Moment now = default(Moment)) {
            return TextOf((json, error) => Native.source_request(source, now.OrNow, json, error));
        }

        /// <summary>Parses a response by the trigger's rules.</summary>
        public Sample Parse(int httpStatus, Text body) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_sample* raw = New(memory);
                return Read(memory, raw, Native.source_parse(source, httpStatus, body.Bytes, body.Size, raw, memory.Error));
            }
        }

        /// <summary>Parses a response as FetchAll does.</summary>
        /// <param name="httpStatus">The status of the response.</param>
        /// <param name="headers">Lines "Name: value"; may be empty.</param>
        /// <param name="body">The body.</param>
        public string ParseAll(int httpStatus, Text headers, Text body) {
            return TextOf((json, error) => Native.source_parse_all(
                source, httpStatus, headers.Bytes, headers.Size, body.Bytes, body.Size, json, error));
        }

        /// <summary>Returns target, metric name, type and settings with every default, as JSON.  It holds no secret.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.source_describe(source, json, error));
        }
    }
}
