using System.Collections.Generic;

namespace Gputide {
    /// <summary>The floor under a size.</summary>
    public sealed unsafe class Floor {
        internal Floor(gputide_floor* raw) {
            State = (ForecastState) raw->state;
            Reason = (FloorReason) raw->reason;
            Replicas = raw->replicas;
            NeedReplicas = raw->need_replicas < 0 ? (int?) null : raw->need_replicas;
            Load = double.IsNaN(raw->floor_load) ? (double?) null : raw->floor_load;
        }

        /// <summary>The state of the forecast.</summary>
        public ForecastState State { get; }

        /// <summary>Why the floor is as it is.</summary>
        public FloorReason Reason { get; }

        /// <summary>The size to write: the reactive size or more.</summary>
        public int Replicas { get; }

        /// <summary>The replicas for Load; null: the forecast asks for nothing.</summary>
        public int? NeedReplicas { get; }

        /// <summary>The load to be ready for; null: unknown.</summary>
        public double? Load { get; }
    }

    /// <summary>Learns from one load per pass, compares itself with "nothing changes", and gives a floor for a reactive size.  No I/O.  Calls
    /// take turns.</summary>
    public sealed unsafe class Forecast : Handle {
        private readonly ForecastHandle forecast;

        private Forecast(ForecastHandle forecast) : base(true, forecast) {
            this.forecast = forecast;
        }

        /// <summary>Opens a forecast with settings such as {"lead_ms": 300000, "budget_percent": 5, "mode": "act"}; empty for the
        /// defaults.</summary>
        public static Forecast Open(Text settings = default(Text)) {
            using (CallMemory memory = CallMemory.Take()) {
                ForecastHandle made;
                memory.Check(Native.forecast_open(settings.Bytes, settings.Size, out made, memory.Error));
                return new Forecast(made);
            }
        }

        /// <summary>Adds the load of a pass, the total to serve; NaN: it could not be read.</summary>
        public void Add(Moment now, double load) {
            Act(error => Native.forecast_add(forecast, now.OrNow, load, error));
        }

        /// <summary>Returns the floor under the size of this pass.</summary>
        /// <param name="target">The load that one replica takes.</param>
        /// <param name="reactiveReplicas">The size of this pass.</param>
        /// <param name="currentReplicas">The size now.</param>
        /// <param name="maxReplicas">The upper bound.</param>
        public Floor Floor(double target, int reactiveReplicas, int currentReplicas, int maxReplicas) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_floor raw;
                raw.struct_size = (uint) sizeof(gputide_floor);
                memory.Check(Native.forecast_floor(
                    forecast, target, reactiveReplicas, currentReplicas, maxReplicas, &raw, memory.Error));
                return new Floor(&raw);
            }
        }

        /// <summary>Charges the budget: the size that was written, and the size of a loop without the forecast.</summary>
        public void Charge(int writtenReplicas, int shadowReplicas) {
            Act(error => Native.forecast_charge(forecast, writtenReplicas, shadowReplicas, error));
        }

        /// <summary>Returns the forecast, its quality and its cost, as JSON.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.forecast_describe(forecast, json, error));
        }

        /// <summary>Returns a text that survives a restart.</summary>
        public string Save() {
            return TextOf((text, error) => Native.forecast_save(forecast, text, error));
        }

        /// <summary>Replaces the forecast by a saved one.</summary>
        public void Load(Text text) {
            Act(error => Native.forecast_load(forecast, text.Bytes, text.Size, error));
        }
    }

    /// <summary>A plan for the nodes of a cluster.</summary>
    public sealed unsafe class NodesPlan {
        private NodesPlan(gputide_nodes_summary* raw, string report, string nextState) {
            Errors = raw->errors;
            Warnings = raw->warnings;
            NodesToAdd = raw->nodes_to_add;
            NodesToRemove = raw->nodes_to_remove;
            PodsPending = raw->pods_pending;
            PodsOnExisting = raw->pods_on_existing;
            PodsOnNew = raw->pods_on_new;
            PodsLeft = raw->pods_left;
            Report = report;
            NextState = nextState;
        }

        /// <summary>Plans the nodes of the cluster that a text describes (docs/nodes.md); nothing is added or removed.</summary>
        /// <param name="text">Pools, nodes, pods and settings, and the objects of Kubernetes as kubectl prints them.</param>
        /// <param name="state">NextState of the last plan; empty: there was none.</param>
        /// <param name="now">By default the clock's.</param>
        public static NodesPlan Of(Text text, Text state = default(Text), Moment now = default(Moment)) {
            using (CallMemory memory = CallMemory.Take()) {
                gputide_nodes_summary raw;
                raw.struct_size = (uint) sizeof(gputide_nodes_summary);
                memory.Check(Native.nodes_plan(text.Bytes, text.Size, state.Bytes, state.Size, now.OrNow, &raw, memory.Text,
                    memory.SecondText, memory.Error));
                return new NodesPlan(&raw, memory.TakeText(), memory.TakeSecondText());
            }
        }

        /// <summary>Findings about the text; what could not be read was left out.</summary>
        public uint Errors { get; }

        /// <summary>Remarks about the text.</summary>
        public uint Warnings { get; }

        /// <summary>Nodes to add.</summary>
        public long NodesToAdd { get; }

        /// <summary>Nodes to remove.</summary>
        public long NodesToRemove { get; }

        /// <summary>Pods that wait.</summary>
        public long PodsPending { get; }

        /// <summary>Those of them that fit on existing nodes.</summary>
        public long PodsOnExisting { get; }

        /// <summary>Those that fit on new nodes.</summary>
        public long PodsOnNew { get; }

        /// <summary>Those that fit nowhere.</summary>
        public long PodsLeft { get; }

        /// <summary>The whole plan with its reasons, as JSON.</summary>
        public string Report { get; }

        /// <summary>The state for the next plan.</summary>
        public string NextState { get; }
    }

    /// <summary>KEDA's ScaledJob.</summary>
    public static unsafe class Jobs {
        /// <summary>Decides one poll of a ScaledJob: Jobs to create now, finished ones to delete.  No I/O, no clock.</summary>
        /// <param name="manifest">The text with the ScaledJob.</param>
        /// <param name="observation">JSON, {"values": [42.5, null], "running": 3, "pending": 1} (docs/jobs.md).</param>
        /// <param name="options">What the host allows.</param>
        /// <returns>JSON with create, delete, conditions, events and reasons.</returns>
        public static string Decide(Text manifest, Text observation, Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                memory.Check(Native.scaled_job_decide(manifest.Bytes, manifest.Size, Options.In(memory, options),
                    observation.Bytes, observation.Size, memory.Text, memory.Error));
                return memory.TakeText();
            }
        }
    }

    /// <summary>The use of one GPU, MIG instance or (profile vpa) container of a pod, at one time.</summary>
    public sealed class UsageSample {
        /// <summary>When.</summary>
        public Moment Time { get; set; }

        /// <summary>The container's number; 0: the one without a name.</summary>
        public uint Container { get; set; }

        /// <summary>The number of the GPU over all replicas, from 0.</summary>
        public uint Unit { get; set; }

        /// <summary>Percent of the GPU; profile vpa: cores.  Null: unknown.</summary>
        public double? Busy { get; set; }

        /// <summary>Bytes in use of this GPU.  Null: unknown.</summary>
        public long? MemoryBytes { get; set; }

        /// <summary>It ran out of memory with MemoryBytes requested; Busy is not used then.</summary>
        public bool IsOutOfMemory { get; set; }

        private uint Flags {
            get {
                if (IsOutOfMemory) return Abi.USAGE_OOM;
                return (Busy == null ? 0 : Abi.USAGE_BUSY) | (MemoryBytes == null ? 0 : Abi.USAGE_MEMORY);
            }
        }

        internal unsafe void Fill(gputide_usage_sample* raw) {
            raw->time_ms = Time.OrNow;
            raw->container = Container;
            raw->unit = Unit;
            raw->flags = Flags;
            raw->busy = Busy ?? 0;
            raw->memory_bytes = MemoryBytes ?? 0;
        }
    }

    /// <summary>Recommends a size for a GPU workload from samples of its GPUs.  No I/O, no clock.  Calls take turns.</summary>
    public sealed unsafe class Rightsize : Handle {
        private readonly RightsizeHandle rightsize;

        private Rightsize(RightsizeHandle rightsize) : base(true, rightsize) {
            this.rightsize = rightsize;
        }

        /// <summary>Opens with settings (docs/rightsizing.md): JSON or YAML, also a VerticalPodAutoscaler; empty for the
        /// defaults.</summary>
        public static Rightsize Open(Text settings = default(Text), Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                RightsizeHandle made;
                memory.Check(Native.rightsize_open(
                    settings.Bytes, settings.Size, Options.In(memory, options), out made, memory.Error));
                return new Rightsize(made);
            }
        }

        /// <summary>Returns the settings with every default, and remarks about them, as JSON.</summary>
        public string Describe() {
            return TextOf((json, error) => Native.rightsize_describe(rightsize, json, error));
        }

        /// <summary>Returns the number of the container of that name, from 1; a new name gets a new number.</summary>
        public uint Container(string name) {
            byte[] raw = Texts.Terminated(name, nameof(name));
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                uint number;
                memory.Check(Native.rightsize_container(rightsize, raw, &number, memory.Error));
                return number;
            }
        }

        /// <summary>Adds samples, those of one unit in the order of their times.</summary>
        /// <returns>The number of samples that counted.</returns>
        public uint Add(IReadOnlyList<UsageSample> samples) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                var raw = (gputide_usage_sample*) memory.Bytes((long) samples.Count * sizeof(gputide_usage_sample));
                for (int index = 0; index < samples.Count; index++) samples[index].Fill(raw + index);
                uint counted;
                memory.Check(Native.rightsize_add(rightsize, raw, (uint) sizeof(gputide_usage_sample), (uint) samples.Count,
                    &counted, memory.Error));
                return counted;
            }
        }

        /// <summary>Returns the recommendation for one container as JSON; 0: the one without a name.</summary>
        public string Recommend(uint container = 0, Moment now = default(Moment)) {
            return TextOf((json, error) => Native.rightsize_recommend(rightsize, container, now.OrNow, json, error));
        }

        /// <summary>Returns machines, MIG profile and sharing for a known need of each GPU, margin included, as JSON.</summary>
        public string Fit(long memoryBytes, double utilPercent) {
            return TextOf((json, error) => Native.rightsize_fit(rightsize, memoryBytes, utilPercent, json, error));
        }

        /// <summary>Returns one container's data: the status of a VerticalPodAutoscalerCheckpoint with more members.</summary>
        public string Save(uint container = 0, Moment now = default(Moment)) {
            return TextOf((text, error) => Native.rightsize_save(rightsize, container, now.OrNow, text, error));
        }

        /// <summary>Replaces a container's data by a saved text, or by the checkpoint of a VPA.</summary>
        public void Load(uint container, Text text) {
            Act(error => Native.rightsize_load(rightsize, container, text.Bytes, text.Size, error));
        }
    }
}
