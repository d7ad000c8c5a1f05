using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>One ScaledObject or HorizontalPodAutoscaler at work: sources, credentials, policy, state.  Each round: tick, write
    /// Desired if WantsWrite, record.  Calls take turns.</summary>
    public sealed unsafe class Scaler : Handle {
        private readonly ScalerHandle scaler;

        private Scaler(ScalerHandle scaler) : base(true, scaler) {
            this.scaler = scaler;
        }

        /// <summary>Opens a manifest's text.  No request is made.</summary>
        /// <exception cref="GputideException.Invalid">Where names the line and the field.</exception>
        public static Scaler Open(Text manifest, Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                ScalerHandle made;
                memory.Check(Native.scaler_open(
                    manifest.Bytes, manifest.Size, Options.In(memory, options), out made, memory.Error));
                return new Scaler(made);
            }
        }

        /// <summary>Opens a manifest's file.  Without options, messages have its name.</summary>
        public static Scaler OpenFile(string path, Options options = null) {
            byte[] manifest = File.ReadAllBytes(path);
            return Open(manifest, options ?? new Options { TextName = path });
        }

        /// <summary>Reads each metric that is due and decides.</summary>
        /// <param name="observation">The facts of now.</param>
        /// <param name="timeout">Over all of it; by default 10 s.</param>
        /// <param name="cancel">Ends the call with an OperationCanceledException.</param>
        /// <param name="withReport">The decision has its whole reason as JSON.</param>
        public Decision Tick(Observation observation, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken), bool withReport = false) {
            return Ticking(observation, withReport).Here(timeout, cancel);
        }

        /// <summary>As Tick, in a thread of its own.</summary>
        public Task<Decision> TickAsync(Observation observation, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken), bool withReport = false) {
            return Ticking(observation, withReport).Async(timeout, cancel);
        }

        private Wait<Decision> Ticking(Observation observation, bool withReport) {
            return new Wait<Decision>((memory, cancel, leftMs) => {
                gputide_decision* raw = memory.Decision();
                gputide_text* report = withReport ? memory.Text : null;
                gputide_observation* given = Observation.In(memory, observation);
                memory.Check(Native.scaler_tick(scaler, given, leftMs, cancel, raw, report, memory.Error));
                return new Decision(raw, withReport ? memory.TakeText() : null);
            }, this);
        }

        /// <summary>Records how the write of decision.Desired went, once; as State.Record.</summary>
        public Decision Record(Decision decision, bool applied, Moment now = default(Moment), string message = null) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_decision* raw = memory.Decision(decision, message);
                memory.Check(Native.scaler_record(scaler, raw, applied ? 1 : 0, now.OrNow, memory.Error));
                return new Decision(raw, decision.Report);
            }
        }

        /// <summary>Returns policy, conditions and metrics as JSON: of each metric its last value, age, state, latency and
        /// error.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.scaler_describe(scaler, json, error));
        }

        /// <summary>Returns the state as a text that survives a restart.</summary>
        public string Save() {
            return TextOf((text, error) => Native.scaler_save(scaler, text, error));
        }

        /// <summary>Replaces the state by a saved text.</summary>
        public void Load(Text text) {
            Act(error => Native.scaler_load(scaler, text.Bytes, text.Size, error));
        }

        internal ScalerHandle Address {
            get { return scaler; }
        }
    }

    /// <summary>The findings about a manifest.</summary>
    public sealed class Findings {
        internal Findings(string report, string lines, GputideException error) {
            Report = report;
            Lines = lines;
            Error = error;
        }

        /// <summary>The scalers in the text and the findings, as JSON.</summary>
        public string Report { get; }

        /// <summary>The findings as a compiler prints them.</summary>
        public string Lines { get; }

        /// <summary>Null if all findings are warnings.</summary>
        public GputideException Error { get; }

        /// <summary>Whether all findings are warnings.</summary>
        public bool IsOk {
            get { return Error == null; }
        }
    }

    /// <summary>The result of a doctor: a verdict for each step as JSON, and lines for a person with the conclusion first.</summary>
    public sealed class Diagnosis {
        internal Diagnosis(CallMemory memory) {
            Report = memory.TakeText();
            Lines = memory.TakeSecondText();
        }

        /// <summary>The verdicts as JSON.</summary>
        public string Report { get; }

        /// <summary>Lines for a person.</summary>
        public string Lines { get; }
    }

    /// <summary>Examines manifests without a scaler.</summary>
    public static unsafe class Manifest {
        /// <summary>Reads a manifest without opening anything.  A wrong one is not an exception: its findings say what is
        /// wrong.</summary>
        public static Findings Check(Text manifest, Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                GputideException problem = null;
                try {
                    gputide_options* chosen = Options.In(memory, options);
                    memory.Check(Native.manifest_check(
                        manifest.Bytes, manifest.Size, chosen, memory.Text, memory.SecondText, memory.Error));
                } catch (GputideException error) when (error.Status == Status.Invalid || error.Status == Status.Limit) {
                    problem = error;
                }
                return new Findings(memory.TakeText(), memory.TakeSecondText(), problem);
            }
        }

        /// <summary>Examines each trigger as it would be read, over the network.</summary>
        /// <param name="manifest">The text.</param>
        /// <param name="options">What the host allows.</param>
        /// <param name="observation">The present size, and samples that the host pushes; null: the manifest's minimum, now.</param>
        /// <param name="timeout">Over all of it; by default 60 s.</param>
        /// <param name="cancel">Ends the call.</param>
        public static Diagnosis Doctor(Text manifest, Options options = null, Observation observation = null,
            TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Examining(manifest, options, observation).Here(timeout ?? Durations.Long, cancel);
        }

        /// <summary>As Doctor, in a thread of its own.</summary>
        public static Task<Diagnosis> DoctorAsync(Text manifest, Options options = null, Observation observation = null,
            TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Examining(manifest, options, observation).Async(timeout ?? Durations.Long, cancel);
        }

        private static Wait<Diagnosis> Examining(Text manifest, Options options, Observation observation) {
            return new Wait<Diagnosis>((memory, cancel, leftMs) => {
                memory.Check(Native.doctor(manifest.Bytes, manifest.Size, Options.In(memory, options),
                    Observation.In(memory, observation), leftMs, cancel, memory.Text, memory.SecondText, memory.Error));
                return new Diagnosis(memory);
            });
        }
    }
}
