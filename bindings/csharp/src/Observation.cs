using System;
using System.Collections.Generic;
using System.Linq;

namespace Gputide {
    /// <summary>One number, or the reason that there is none.  A double converts to it.</summary>
    public sealed class Sample {
        /// <summary>Makes a sample of a number, or of nothing: state NotGiven.</summary>
        public Sample(double? value = null) {
            Value = value;
            State = value == null ? SampleState.NotGiven
                : double.IsNaN(value.Value) || double.IsInfinity(value.Value) ? SampleState.NotANumber : SampleState.Ok;
        }

        /// <summary>Makes the sample of a failed read.</summary>
        public static Sample Failed(SampleState state, Status status, string message = null) {
            return new Sample { State = state, Status = status, Message = message };
        }

        /// <summary>Makes a sample of a number that is true now.</summary>
        public static implicit operator Sample(double value) {
            return new Sample(value);
        }

        /// <summary>The number; null if there is none.</summary>
        public double? Value { get; }

        /// <summary>Whether there is a number, or why not.</summary>
        public SampleState State { get; set; }

        /// <summary>The status of the failed read.</summary>
        public Status Status { get; set; }

        /// <summary>Why there is no number.</summary>
        public string Message { get; set; }

        /// <summary>When the number was true; unknown by default.</summary>
        public Moment Time { get; set; }

        /// <summary>The response was empty, and ignoreNullValues made 0 of it.</summary>
        public bool IsNullAsZero { get; set; }

        internal static unsafe Sample Of(gputide_sample* raw) {
            var state = (SampleState) raw->state;
            return new Sample(state == SampleState.Ok ? raw->value : (double?) null) {
                State = state,
                Status = (Status) raw->status,
                Time = Moment.At(raw->time_ms),
                IsNullAsZero = (raw->flags & Abi.SAMPLE_NULL_AS_ZERO) != 0,
            };
        }

        private unsafe void Fill(CallMemory memory, gputide_sample* raw) {
            raw->struct_size = (uint) sizeof(gputide_sample);
            raw->state = (int) State;
            raw->status = (int) Status;
            raw->flags = IsNullAsZero ? Abi.SAMPLE_NULL_AS_ZERO : 0;
            raw->value = Value ?? 0;
            raw->time_ms = Time.UnixMs;
            raw->message = memory.Copy(Texts.Terminated(Message, "a sample's message"));
        }

        internal static unsafe gputide_sample* In(CallMemory memory, IReadOnlyList<Sample> samples) {
            var raw = (gputide_sample*) memory.Bytes((long) samples.Count * sizeof(gputide_sample));
            for (int index = 0; index < samples.Count; index++) (samples[index] ?? new Sample()).Fill(memory, raw + index);
            return raw;
        }
    }

    /// <summary>A pod of the target, for metrics of type Pods, Resource and ContainerResource.</summary>
    public sealed class Pod {
        /// <summary>The name, for messages.</summary>
        public string Name { get; set; }

        /// <summary>The phase of its status.</summary>
        public PodPhase Phase { get; set; } = PodPhase.Running;

        /// <summary>Its condition Ready.</summary>
        public Readiness Ready { get; set; } = Readiness.Yes;

        /// <summary>It has a deletionTimestamp.</summary>
        public bool IsDeleting { get; set; }

        /// <summary>The startTime of its status.</summary>
        public Moment StartTime { get; set; }

        /// <summary>The lastTransitionTime of Ready; unknown: as StartTime.</summary>
        public Moment ReadyChangeTime { get; set; }

        internal unsafe void Fill(CallMemory memory, gputide_pod* raw) {
            raw->name = memory.Copy(Texts.Terminated(Name, "a pod's name"));
            raw->phase = (int) Phase;
            raw->ready = (int) Ready;
            raw->deleting = IsDeleting ? 1 : 0;
            raw->start_time_ms = StartTime.UnixMs;
            raw->ready_change_time_ms = ReadyChangeTime.UnixMs;
        }
    }

    /// <summary>The value of one metric of one pod.</summary>
    public sealed class PodSample {
        /// <summary>The index of the policy's metric, from 0.</summary>
        public int Metric { get; set; }

        /// <summary>The observation's pod, from 1; 0: one that is not listed.</summary>
        public int Pod { get; set; }

        /// <summary>Thousandths, as Kubernetes counts; null: only the request is known.</summary>
        public long? ValueMilli { get; set; }

        /// <summary>The pod's request for Utilization; 0: it has none.</summary>
        public long RequestMilli { get; set; }

        /// <summary>When the value was measured; unknown: now.</summary>
        public Moment Time { get; set; }

        /// <summary>The seconds that the value is averaged over; 0: 60.</summary>
        public int WindowSeconds { get; set; }

        /// <summary>Without RequestMilli: the first container without a request, for messages.</summary>
        public string Container { get; set; }

        internal unsafe void Fill(CallMemory memory, gputide_pod_sample* raw) {
            raw->metric = Metric;
            raw->pod = Pod;
            raw->value_milli = ValueMilli ?? Abi.NO_VALUE;
            raw->request_milli = RequestMilli;
            raw->time_ms = Time.UnixMs;
            raw->window_s = WindowSeconds;
            raw->container = memory.Copy(Texts.Terminated(Container, "a container's name"));
        }
    }

    /// <summary>The facts of now: the target's size, its pods, numbers that the host brings.</summary>
    public sealed class Observation {
        /// <summary>Makes an observation of a size and of one value per metric of the policy, in its order.</summary>
        public Observation(int current, params Sample[] samples) {
            Current = current;
            Samples = samples;
        }

        /// <summary>Makes an observation of numbers.</summary>
        public static Observation Of(int current, params double[] values) {
            return new Observation(current, values.Select(value => (Sample) value).ToArray());
        }

        /// <summary>The target's spec.replicas.</summary>
        public int Current { get; }

        /// <summary>One per metric of the policy, in its order.</summary>
        public IReadOnlyList<Sample> Samples { get; set; }

        /// <summary>The time of the observation; by default the clock's.</summary>
        public Moment Now { get; set; }

        /// <summary>Pods that exist; null: as Current.</summary>
        public int? StatusReplicas { get; set; }

        /// <summary>Pods that are ready; null: as Current.</summary>
        public int? ReadyReplicas { get; set; }

        /// <summary>The target's size could not be read.</summary>
        public bool IsUnreadable { get; set; }

        /// <summary>With IsUnreadable: why, for conditions.</summary>
        public string Message { get; set; }

        /// <summary>All pods of the target; null: not listed.</summary>
        public IReadOnlyList<Pod> Pods { get; set; }

        /// <summary>What they have of each metric.</summary>
        public IReadOnlyList<PodSample> PodSamples { get; set; }

        private uint Flags {
            get {
                return (StatusReplicas == 0 ? Abi.OBSERVED_STATUS : 0)
                    | (ReadyReplicas == 0 ? Abi.OBSERVED_READY : 0)
                    | (IsUnreadable ? Abi.SCALE_UNREADABLE : 0)
                    | (Pods != null ? Abi.OBSERVED_PODS : 0);
            }
        }

        /// <summary>Fills the struct of C; NULL for null.</summary>
        internal static unsafe gputide_observation* In(CallMemory memory, Observation observation) {
            if (observation == null) return null;
            var raw = (gputide_observation*) memory.Bytes(sizeof(gputide_observation));
            observation.Fill(memory, raw);
            return raw;
        }

        private unsafe void Fill(CallMemory memory, gputide_observation* raw) {
            raw->struct_size = (uint) sizeof(gputide_observation);
            raw->flags = Flags;
            raw->now_ms = Now.OrNow;
            raw->current_replicas = Current;
            raw->status_replicas = StatusReplicas ?? 0;
            raw->ready_replicas = ReadyReplicas ?? 0;
            raw->message = memory.Copy(Texts.Terminated(Message, "an observation's message"));
            if (Samples != null && Samples.Count > 0) {
                raw->samples = (IntPtr) Sample.In(memory, Samples);
                raw->sample_count = (uint) Samples.Count;
                raw->sample_size = (uint) sizeof(gputide_sample);
            }
            if (Pods != null && Pods.Count > 0) {
                var pods = (gputide_pod*) memory.Bytes((long) Pods.Count * sizeof(gputide_pod));
                for (int index = 0; index < Pods.Count; index++) Pods[index].Fill(memory, pods + index);
                raw->pods = (IntPtr) pods;
                raw->pod_count = (uint) Pods.Count;
                raw->pod_size = (uint) sizeof(gputide_pod);
            }
            if (PodSamples != null && PodSamples.Count > 0) {
                var values = (gputide_pod_sample*) memory.Bytes((long) PodSamples.Count * sizeof(gputide_pod_sample));
                for (int index = 0; index < PodSamples.Count; index++) PodSamples[index].Fill(memory, values + index);
                raw->pod_samples = (IntPtr) values;
                raw->pod_sample_count = (uint) PodSamples.Count;
                raw->pod_sample_size = (uint) sizeof(gputide_pod_sample);
            }
        }
    }
}
