namespace Gputide {
    /// <summary>An event of a runtime: a decision for one scaler, or (Due) a poll that waits for an observation, or (Cluster) an event of
    /// the attached cluster; Report has its facts.</summary>
    public sealed unsafe class Event {
        internal Event(gputide_event* raw, Decision decision) {
            Kind = (EventKind) raw->kind;
            Id = raw->id;
            Tag = raw->tag;
            Sequence = raw->sequence;
            Observed = Moment.At(raw->observed_ms);
            Replaced = raw->replaced;
            Name = Texts.Decoded(raw->name);
            Decision = decision;
        }

        /// <summary>The kind.</summary>
        public EventKind Kind { get; }

        /// <summary>The scaler's id, as ScalerRuntime.Add returned it.</summary>
        public ulong Id { get; }

        /// <summary>The scaler's tag.</summary>
        public ulong Tag { get; }

        /// <summary>The number of the event, from 1.</summary>
        public ulong Sequence { get; }

        /// <summary>The time of the observation that the decision used.</summary>
        public Moment Observed { get; }

        /// <summary>Earlier decisions of this scaler that were not taken in time.</summary>
        public uint Replaced { get; }

        /// <summary>"namespace/name".</summary>
        public string Name { get; }

        /// <summary>The decision; empty unless the kind is Decision.</summary>
        public Decision Decision { get; }

        /// <summary>The report as JSON; null without one.</summary>
        public string Report {
            get { return Decision.Report; }
        }

        /// <summary>Whether a size is to be written.</summary>
        public bool WantsWrite {
            get { return Kind == EventKind.Decision && Decision.WantsWrite; }
        }

        /// <inheritdoc/>
        public override string ToString() {
            return Kind == EventKind.Decision ? Name + " " + Decision : Name + " " + Kind + " " + Report;
        }
    }
}
