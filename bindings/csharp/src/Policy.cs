using System.Collections.Generic;

namespace Gputide {
    /// <summary>The rules of a decision: bounds, thresholds, behavior, cooldown of a ScaledObject or HorizontalPodAutoscaler.
    /// Immutable; any number of threads may use it.</summary>
    public sealed unsafe class Policy : Handle {
        private readonly PolicyHandle policy;

        private Policy(PolicyHandle policy) : base(false, policy) {
            this.policy = policy;
            var names = new List<string>();
            uint count = Native.policy_metric_count(policy);
            for (int index = 0; index < count; index++) names.Add(Texts.Static(Native.policy_metric_name(policy, index)));
            Metrics = names;
        }

        /// <summary>Reads a manifest.</summary>
        /// <exception cref="GputideException.Invalid">Where names the line and the field.</exception>
        public static Policy Open(Text manifest, Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                gputide_options* chosen = Options.In(memory, options);
                PolicyHandle made;
                memory.Check(Native.policy_open(manifest.Bytes, manifest.Size, chosen, out made, memory.Error));
                return new Policy(made);
            }
        }

        /// <summary>The names of the metrics in every JSON text, in the order of samples.</summary>
        public IReadOnlyList<string> Metrics { get; }

        /// <summary>Returns the policy with each default filled in, as JSON.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.policy_describe(policy, json, error));
        }

        /// <summary>Makes an empty state.</summary>
        /// <param name="created">The object's creationTimestamp; unknown: the first decision's time.</param>
        public State NewState(Moment created = default(Moment)) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                StateHandle made;
                memory.Check(Native.state_new(policy, created.UnixMs, out made, memory.Error));
                return new State(policy, made);
            }
        }

        /// <summary>Makes a state of a text that State.Save returned, also in an older release.</summary>
        /// <param name="text">The text.</param>
        /// <param name="isDescribed">The text is of State.Describe.</param>
        public State LoadState(Text text, bool isDescribed = false) {
            uint flags = isDescribed ? Abi.STATE_UNCHECKED : 0;
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                StateHandle made;
                memory.Check(Native.state_load(policy, text.Bytes, text.Size, flags, out made, memory.Error));
                return new State(policy, made);
            }
        }
    }

    /// <summary>The memory of one scaler: activity, stabilization windows, scale events, failure counts.  It decides by its policy,
    /// also after that was disposed.  Calls take turns.</summary>
    public sealed unsafe class State : Handle {
        private readonly PolicyHandle policy;
        private readonly StateHandle state;

        internal State(PolicyHandle policy, StateHandle state) : base(true, state, policy) {
            this.policy = policy;
            this.state = state;
        }

        /// <summary>Returns the size that KEDA and the HPA would write.  Example: threshold 5, 3 replicas, sample 42.5:
        /// ceil(42.5 / 5) = 9.</summary>
        /// <param name="observation">The facts of now.</param>
        /// <param name="withReport">The decision has its whole reason as JSON.</param>
        public Decision Decide(Observation observation, bool withReport = false) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_decision* raw = memory.Decision();
                gputide_text* report = withReport ? memory.Text : null;
                memory.Check(Native.decide(policy, state, Observation.In(memory, observation), raw, report, memory.Error));
                return new Decision(raw, withReport ? memory.TakeText() : null);
            }
        }

        /// <summary>Decides by one number per metric, which is faster.</summary>
        public Decision Decide(Moment now, int current, params double[] values) {
            gputide_decision raw;
            raw.struct_size = (uint) sizeof(gputide_decision);
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                memory.Check(Native.decide_values(
                    policy, state, now.OrNow, current, values, (uint) values.Length, &raw, memory.Error));
                return new Decision(&raw);
            }
        }

        /// <summary>Records how the write of decision.Desired went, once.  A decision that wanted no write needs no record.</summary>
        /// <param name="decision">The decision.</param>
        /// <param name="applied">The size was written.</param>
        /// <param name="now">When; by default the clock's.</param>
        /// <param name="message">Why the write failed, for conditions.</param>
        /// <returns>The decision with its conditions and event after that.</returns>
        public Decision Record(Decision decision, bool applied, Moment now = default(Moment), string message = null) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_decision* raw = memory.Decision(decision, message);
                memory.Check(Native.state_record(policy, state, raw, applied ? 1 : 0, now.OrNow, memory.Error));
                return new Decision(raw, decision.Report);
            }
        }

        /// <summary>Returns a text that survives a restart, for Policy.LoadState.</summary>
        public string Save() {
            return TextOf((text, error) => Native.state_save(policy, state, text, error));
        }

        /// <summary>Returns the state as JSON.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.state_describe(policy, state, json, error));
        }
    }
}
