using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>Recorded values of each metric over time, and the workload's size.  At most 20 million points, in any order.  Calls take
    /// turns.</summary>
    public sealed unsafe class Series : Handle {
        private readonly SeriesHandle series;

        /// <summary>Makes an empty series.</summary>
        public Series() : this(Made()) {}

        private Series(SeriesHandle series) : base(true, series) {
            this.series = series;
        }

        private static SeriesHandle Made() {
            using (CallMemory memory = CallMemory.Take()) {
                SeriesHandle made;
                memory.Check(Native.series_new(out made, memory.Error));
                return made;
            }
        }

        internal SeriesHandle Address {
            get { return series; }
        }

        /// <summary>Adds points of one metric: Unix milliseconds and values.  A NaN or an infinity is a point without a
        /// number.</summary>
        public void Add(int metric, long[] timesMs, double[] values) {
            Matches(timesMs.Length, values.Length);
            Act(error => Native.series_add(series, metric, timesMs, values, (ulong) values.Length, error));
        }

        /// <summary>Adds the sizes of the workload, which a closed loop needs.</summary>
        public void AddReplicas(long[] timesMs, int[] replicas) {
            Matches(timesMs.Length, replicas.Length);
            Act(error => Native.series_add_replicas(series, timesMs, replicas, (ulong) replicas.Length, error));
        }

        private static void Matches(int times, int values) {
            if (times != values) throw new ArgumentException(times + " times for " + values + " values");
        }

        /// <summary>Reads a text, from a metric on: CSV, a saved query_range of Prometheus, or the log of gputided run.</summary>
        /// <param name="text">The text.</param>
        /// <param name="metric">The index of the first metric; null: only the sizes, and of a run log its decisions.</param>
        /// <param name="scaler">"namespace/name", if a run log holds several; null: the first.</param>
        public void Read(Text text, int? metric = 0, string scaler = null) {
            byte[] name = Texts.Terminated(scaler, nameof(scaler));
            Act(error => Native.series_read(series, metric ?? (int) Abi.NO_METRIC, text.Bytes, text.Size, name, error));
        }

        /// <summary>Fetches the past of one metric from its source, both ends included, at most 11,000 steps.  The timeout is 60 s by
        /// default.</summary>
        public void Fetch(Scaler scaler, int metric, Moment from, Moment to, TimeSpan step, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            Fetching(scaler, metric, from, to, step).Here(timeout ?? Durations.Long, cancel);
        }

        /// <summary>As Fetch, in a thread of its own.</summary>
        public Task FetchAsync(Scaler scaler, int metric, Moment from, Moment to, TimeSpan step, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Fetching(scaler, metric, from, to, step).Async(timeout ?? Durations.Long, cancel);
        }

        private Wait<bool> Fetching(Scaler scaler, int metric, Moment from, Moment to, TimeSpan step) {
            return new Wait<bool>((memory, cancel, leftMs) => {
                memory.Check(Native.series_fetch(series, scaler.Address, metric, from.UnixMs, to.UnixMs, Durations.LongMs(step),
                    leftMs, cancel, memory.Error));
                return true;
            }, this, scaler);
        }

        /// <summary>Returns the series as CSV, which Read takes.</summary>
        public string Write() {
            return TextOf((csv, error) => Native.series_write(series, csv, error));
        }

        /// <summary>Returns points, from, to, gaps, duplicates and the like, as JSON.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.series_describe(series, json, error));
        }
    }

    /// <summary>A replay of a manifest over recorded metrics: the code that decides live, with the clock as a parameter.  Calls take
    /// turns.</summary>
    public sealed unsafe class Replay : Handle {
        private readonly ReplayHandle replay;

        private Replay(ReplayHandle replay) : base(true, replay) {
            this.replay = replay;
        }

        /// <summary>Opens a replay.</summary>
        /// <param name="manifest">The text.</param>
        /// <param name="options">What the host allows.</param>
        /// <param name="settings">JSON (docs/replay.md); empty for the defaults.</param>
        public static Replay Open(Text manifest, Options options = null, Text settings = default(Text)) {
            using (CallMemory memory = CallMemory.Take()) {
                ReplayHandle made;
                memory.Check(Native.replay_open(manifest.Bytes, manifest.Size, Options.In(memory, options), settings.Bytes,
                    settings.Size, out made, memory.Error));
                return new Replay(made);
            }
        }

        /// <summary>Replays a whole series, without a time limit.</summary>
        public void Run(Series series, CancellationToken cancel = default(CancellationToken)) {
            Running(series).Here((int) Abi.FOREVER, cancel);
        }

        /// <summary>As Run, in a thread of its own.</summary>
        public Task RunAsync(Series series, CancellationToken cancel = default(CancellationToken)) {
            return Running(series).Async((int) Abi.FOREVER, cancel);
        }

        private Wait<bool> Running(Series series) {
            return new Wait<bool>((memory, cancel, leftMs) => {
                memory.Check(Native.replay_run(replay, series.Address, cancel, memory.Error));
                return true;
            }, this, series);
        }

        /// <summary>Replays one recorded time, which must not go back.</summary>
        /// <param name="time">When.</param>
        /// <param name="samples">One per metric.</param>
        /// <param name="replicas">The recorded size; null: as before.</param>
        /// <returns>The last decision so far; its Source is null before the first.</returns>
        public Decision Record(Moment time, IReadOnlyList<Sample> samples, int? replicas = null) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_decision* last = memory.Decision();
                memory.Check(Native.replay_record(replay, time.UnixMs, Sample.In(memory, samples), (uint) sizeof(gputide_sample),
                    (uint) samples.Count, replicas ?? -1, last, memory.Error));
                return new Decision(last);
            }
        }

        /// <summary>Returns the result as JSON and ends the replay.</summary>
        public string Report() {
            return TextOf((json, error) => Native.replay_report(replay, json, error));
        }
    }
}
