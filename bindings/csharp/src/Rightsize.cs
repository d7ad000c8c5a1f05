using System.Collections.Generic;

namespace Gputide {
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
