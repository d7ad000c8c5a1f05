using System;
using System.Collections.Generic;

namespace Gputide {
    /// <summary>The number of a condition's reason; ToString is its name as Kubernetes spells it ("ScaleDownStabilized"), "" for
    /// none.</summary>
    public struct Reason {
        /// <summary>Makes a reason of its number.</summary>
        public Reason(int number) {
            Number = number;
        }

        /// <summary>The number.</summary>
        public int Number { get; }

        /// <inheritdoc/>
        public override string ToString() {
            return Texts.Static(Native.reason_name(Number)) ?? "";
        }
    }

    /// <summary>A condition as kubectl describe shows it.</summary>
    public struct ConditionState {
        internal unsafe ConditionState(gputide_condition* raw) {
            Truth = (Truth) raw->truth;
            Reason = new Reason(raw->reason);
            Since = Moment.At(raw->since_ms);
        }

        /// <summary>The status of the condition.</summary>
        public Truth Truth { get; }

        /// <summary>The reason.</summary>
        public Reason Reason { get; }

        /// <summary>The time of the last change.</summary>
        public Moment Since { get; }
    }

    /// <summary>A decision: write Desired to the target if WantsWrite, then record the outcome.  Immutable.</summary>
    public sealed class Decision : IEquatable<Decision> {
        internal gputide_decision Raw; // never written after construction: a fixed buffer cannot be read of a readonly field

        internal unsafe Decision(gputide_decision* raw, string report = null) {
            Raw = *raw;
            Raw.message = IntPtr.Zero; // the memory of a call
            Report = report;
        }

        /// <summary>The whole reason as JSON, if the call was asked for it; otherwise null.</summary>
        public string Report { get; }

        /// <summary>The state's id of this decision; never 0.</summary>
        public ulong Id {
            get { return Raw.id; }
        }

        /// <summary>The time of the decision.</summary>
        public Moment Now {
            get { return Moment.At(Raw.now_ms); }
        }

        /// <summary>When the next decision is due; earlier ones are Limit.NotDue.</summary>
        public Moment NextDue {
            get { return Moment.At(Raw.next_due_ms); }
        }

        /// <summary>The size before the decision.</summary>
        public int Current {
            get { return Raw.current_replicas; }
        }

        /// <summary>The size to write.</summary>
        public int Desired {
            get { return Raw.desired_replicas; }
        }

        /// <summary>The size that the metrics ask for, before stabilization, limits and bounds.</summary>
        public int Proposed {
            get { return Raw.proposed_replicas; }
        }

        /// <summary>Whether the size is to be written.</summary>
        public bool WantsWrite {
            get { return Desired != Current; }
        }

        /// <summary>The limit that determined the decision.</summary>
        public Limit LimitedBy {
            get { return (Limit) Raw.limited_by; }
        }

        /// <summary>The half that made the decision; null: nothing was decided yet.</summary>
        public DecisionSource? Source {
            get { return Raw.source == 0 ? (DecisionSource?) null : (DecisionSource) Raw.source; }
        }

        /// <summary>The index of the metric that asked for the most; -1: none; -2: the formula of scalingModifiers.</summary>
        public int Winner {
            get { return Raw.winner; }
        }

        /// <summary>The index of the first metric that failed; -1: none; -2: the formula of scalingModifiers.</summary>
        public int FailedMetric {
            get { return Raw.failed_metric; }
        }

        /// <summary>The event that KEDA would emit for the object.</summary>
        public ScaleEvent Event {
            get { return (ScaleEvent) Raw.@event; }
        }

        /// <summary>Bits GPUTIDE_DECIDED_*.</summary>
        public uint Flags {
            get { return Raw.flags; }
        }

        /// <summary>A trigger is active.</summary>
        public bool IsActive {
            get { return (Raw.flags & Abi.DECIDED_ACTIVE) != 0; }
        }

        /// <summary>A trigger or metric failed without a fallback.</summary>
        public bool IsFailed {
            get { return (Raw.flags & Abi.DECIDED_ERROR) != 0; }
        }

        /// <summary>KEDA's half was due and ran.</summary>
        public bool IsByExecutor {
            get { return (Raw.flags & Abi.DECIDED_EXECUTOR) != 0; }
        }

        /// <summary>The HPA's half was due and ran.</summary>
        public bool IsByHpa {
            get { return (Raw.flags & Abi.DECIDED_HPA) != 0; }
        }

        /// <summary>The state of the policy's forecast; null: it has none.</summary>
        public ForecastState? ForecastState {
            get { return Raw.forecast_state == 0 ? (ForecastState?) null : (ForecastState) Raw.forecast_state; }
        }

        /// <summary>The replicas for the load to be ready for; null: the forecast asks for nothing.</summary>
        public int? ForecastNeed {
            get { return Raw.forecast_need < 0 ? (int?) null : Raw.forecast_need; }
        }

        /// <summary>The conditions that are set.</summary>
        public unsafe IReadOnlyDictionary<Condition, ConditionState> Conditions {
            get {
                var set = new Dictionary<Condition, ConditionState>();
                fixed (byte* bytes = Raw.conditions) {
                    var conditions = (gputide_condition*) bytes;
                    for (int index = 0; index < Abi.MAX_CONDITIONS; index++) {
                        if (conditions[index].truth != 0) set.Add((Condition) index, new ConditionState(conditions + index));
                    }
                }
                return set;
            }
        }

        /// <summary>Returns the report as lines for a person; "" without one.</summary>
        public string Explain() {
            return Report == null ? "" : RenderReport(Report);
        }

        /// <summary>Returns a report as lines for a person: conditions, then the trace step by step.</summary>
        public static unsafe string RenderReport(Text report) {
            return CallMemory.TextOf((lines, error) => Native.report_render(report.Bytes, report.Size, lines, error));
        }

        /// <inheritdoc/>
        public unsafe bool Equals(Decision other) {
            if (other == null) return false;
            fixed (gputide_decision* mine = &Raw, its = &other.Raw) {
                for (int index = 0; index < sizeof(gputide_decision); index++) {
                    if (((byte*) mine)[index] != ((byte*) its)[index]) return false;
                }
            }
            return true;
        }

        /// <inheritdoc/>
        public override bool Equals(object other) {
            return Equals(other as Decision);
        }

        /// <inheritdoc/>
        public override int GetHashCode() {
            return Id.GetHashCode() ^ Raw.now_ms.GetHashCode();
        }

        /// <inheritdoc/>
        public override string ToString() {
            return Current + " -> " + Desired + ", proposed " + Proposed + ", limited by " + LimitedBy;
        }
    }
}
