using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>Many scalers in one process, which share connections, tokens and responses.  Every method may be called from any
    /// thread.  Save states and dispose it before the process ends.</summary>
    public sealed unsafe class ScalerRuntime : Handle {
        private readonly RuntimeHandle runtime;
        private readonly object closer = new object();
        private bool isEnded;

        /// <summary>Makes a runtime without scalers.</summary>
        public ScalerRuntime(RuntimeOptions options = null) : this(Opened(options)) {}

        private ScalerRuntime(RuntimeHandle runtime) : base(false, runtime) {
            this.runtime = runtime;
            Wait.AtExit(this);
        }

        private static RuntimeHandle Opened(RuntimeOptions options) {
            using (CallMemory memory = CallMemory.Take()) {
                RuntimeHandle made;
                memory.Check(Native.runtime_new(RuntimeOptions.In(memory, options), out made, memory.Error));
                return made;
            }
        }

        /// <summary>Adds a scaler, which is polled from its first observation on.</summary>
        /// <param name="manifest">The text.</param>
        /// <param name="options">What the host allows.</param>
        /// <param name="tag">A number that each of its events has.</param>
        /// <returns>The scaler's id.</returns>
        public ulong Add(Text manifest, Options options = null, ulong tag = 0) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                ulong id;
                memory.Check(Native.runtime_add(
                    runtime, manifest.Bytes, manifest.Size, Options.In(memory, options), tag, &id, memory.Error));
                return id;
            }
        }

        /// <summary>Replaces the manifest of a scaler; observation, schedule and, if it fits, state stay.  tag null: it
        /// stays too.</summary>
        public void Replace(ulong id, Text manifest, Options options = null, ulong? tag = null) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                ulong number = tag ?? 0;
                memory.Check(Native.runtime_replace(runtime, id, manifest.Bytes, manifest.Size, Options.In(memory, options),
                    tag == null ? null : &number, memory.Error));
            }
        }

        /// <summary>Removes a scaler.</summary>
        public void Remove(ulong id) {
            Act(error => Native.runtime_remove(runtime, id, error));
        }

        /// <summary>Returns the id of "namespace/name".</summary>
        /// <exception cref="GputideException.NotFound">There is no such scaler.</exception>
        public ulong Find(string name) {
            byte[] raw = Texts.Terminated(name, nameof(name));
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                ulong id;
                memory.Check(Native.runtime_find(runtime, raw, &id, memory.Error));
                return id;
            }
        }

        /// <summary>Returns the id after an id, 0: the first.</summary>
        /// <exception cref="GputideException.NotFound">It was the last.</exception>
        public ulong NextScaler(ulong after = 0) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                ulong id;
                memory.Check(Native.runtime_next_scaler(runtime, after, &id, memory.Error));
                return id;
            }
        }

        /// <summary>Iterates over the ids; a scaler present during the whole iteration is returned exactly once.</summary>
        public IEnumerable<ulong> Scalers() {
            for (ulong? id = After(0); id != null; id = After(id.Value)) yield return id.Value;
        }

        private ulong? After(ulong id) {
            try {
                return NextScaler(id);
            } catch (GputideException.NotFound) {
                return null;
            }
        }

        /// <summary>Gives the facts of a scaler's target, used until the next observation.  The first starts the polling.</summary>
        public void Observe(ulong id, Observation observation) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                memory.Check(Native.runtime_observe(runtime, id, Observation.In(memory, observation), memory.Error));
            }
        }

        /// <summary>Gives numbers of metrics that the host brings, one per metric; one of state NotGiven keeps the earlier.</summary>
        public void Push(ulong id, params Sample[] samples) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                memory.Check(Native.runtime_push(runtime, id, Sample.In(memory, samples), (uint) sizeof(gputide_sample),
                    (uint) samples.Length, memory.Error));
            }
        }

        /// <summary>Returns the next event; null if none came in time.  A timeout of 0 does not wait.  Drives the runtime meanwhile,
        /// unless Start runs it.</summary>
        public Event NextEvent(TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Next().Here(timeout, cancel);
        }

        /// <summary>As NextEvent, in a thread of its own.</summary>
        public Task<Event> NextEventAsync(TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Next().Async(timeout, cancel);
        }

        /// <summary>Returns the events until the runtime is disposed or cancel fires.  Each event is given to one consumer.</summary>
        public IEnumerable<Event> Events(CancellationToken cancel = default(CancellationToken)) {
            for (Event next = NextOrEnd(cancel); next != null; next = NextOrEnd(cancel)) yield return next;
        }

        private Event NextOrEnd(CancellationToken cancel) {
            try {
                Event next;
                do next = Next().Here(TimeSpan.MaxValue, cancel);
                while (next == null);
                return next;
            } catch (Exception ended) when (ended is GputideException.Cancelled || ended is OperationCanceledException
                || ended is ObjectDisposedException) {
                return null;
            }
        }

        private Wait<Event> Next() {
            return new Wait<Event>((memory, cancel, leftMs) => {
                var raw = (gputide_event*) memory.Bytes(sizeof(gputide_event));
                raw->struct_size = (uint) sizeof(gputide_event);
                gputide_decision* decision = memory.Decision();
                int status = Native.runtime_next_event(runtime, leftMs, cancel, raw, decision, memory.Text, memory.Error);
                if (status == (int) Status.NoData) return null;
                memory.Check(status);
                string report = memory.Text->data == IntPtr.Zero ? null : memory.TakeText();
                return new Event(raw, new Decision(decision, report));
            }, this);
        }

        /// <summary>Records how the write of an event's decision went, once; an applied size is the target's from then on.  As
        /// State.Record.</summary>
        public Decision Record(Event taken, bool applied, Moment now = default(Moment), string message = null) {
            return Record(taken.Id, taken.Decision, applied, now, message);
        }

        /// <summary>As Record, of a decision without its event.</summary>
        public Decision Record(ulong id, Decision decision, bool applied, Moment now = default(Moment), string message = null) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                gputide_decision* raw = memory.Decision(decision, message);
                memory.Check(Native.runtime_record(runtime, id, raw, applied ? 1 : 0, now.OrNow, memory.Error));
                return new Decision(raw, decision.Report);
            }
        }

        /// <summary>Returns a scaler's state as a text that survives a restart.</summary>
        public string Save(ulong id) {
            return TextOf((text, error) => Native.runtime_save(runtime, id, text, error));
        }

        /// <summary>Replaces a scaler's state by a saved text.</summary>
        public void Load(ulong id, Text text) {
            Act(error => Native.runtime_load(runtime, id, text.Bytes, text.Size, error));
        }

        /// <summary>Returns one scaler as JSON: its numbers, observation, last decision and metrics.</summary>
        public string Describe(ulong id) {
            return TextOf((json, error) => Native.runtime_describe(runtime, id, json, error));
        }

        /// <summary>Returns counters of the whole runtime as JSON: poll lag, errors by reason, queues, endpoints with their
        /// breakers.</summary>
        public string Stats() {
            return TextOf((json, error) => Native.runtime_stats(runtime, json, error));
        }

        /// <summary>Attaches a Kubernetes cluster (docs/kubernetes.md); events of kind Cluster report its work.</summary>
        /// <param name="settings">JSON or YAML; empty for the defaults.</param>
        /// <param name="options">The API server and the user.</param>
        public void AttachCluster(Text settings = default(Text), Options options = null) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                memory.Check(Native.cluster_attach(
                    runtime, settings.Bytes, settings.Size, Options.In(memory, options), memory.Error));
            }
        }

        /// <summary>Stops writing, releases the Leases and removes the cluster's scalers.  GputideException.Timeout if that takes longer:
        /// call again.</summary>
        public void DetachCluster(TimeSpan? timeout = null) {
            Detaching().Here(timeout, default(CancellationToken));
        }

        /// <summary>As DetachCluster, in a thread of its own.</summary>
        public Task DetachClusterAsync(TimeSpan? timeout = null) {
            return Detaching().Async(timeout, default(CancellationToken));
        }

        private Wait<bool> Detaching() {
            return new Wait<bool>((memory, cancel, leftMs) => {
                memory.Check(Native.cluster_detach(runtime, leftMs, memory.Error));
                return true;
            }, this);
        }

        /// <summary>Returns leases, watches, writes by result and blocked scalers, as JSON.</summary>
        public string DescribeCluster() {
            return TextOf((json, error) => Native.cluster_describe(runtime, json, error));
        }

        /// <summary>Starts the runtime's own thread.</summary>
        public void Start() {
            Act(error => Native.runtime_start(runtime, error));
        }

        /// <summary>Ends it.  GputideException.Timeout if that takes longer: call again.</summary>
        public void Stop(TimeSpan? timeout = null) {
            Stopping().Here(timeout, default(CancellationToken));
        }

        /// <summary>As Stop, in a thread of its own.</summary>
        public Task StopAsync(TimeSpan? timeout = null) {
            return Stopping().Async(timeout, default(CancellationToken));
        }

        private Wait<bool> Stopping() {
            return new Wait<bool>((memory, cancel, leftMs) => {
                memory.Check(Native.runtime_stop(runtime, leftMs, memory.Error));
                return true;
            }, this);
        }

        /// <summary>Does what is due, without waiting.</summary>
        /// <returns>When to call again; null: after the next change.</returns>
        public Moment? Step(Moment now = default(Moment)) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                long next;
                memory.Check(Native.runtime_step(runtime, now.OrNow, &next, memory.Error));
                return next == long.MaxValue ? (Moment?) null : Moment.At(next);
            }
        }

        /// <summary>Returns a descriptor that is readable while an event waits and while Step should be called.  It is the runtime's:
        /// do not read or close it.</summary>
        public int WakeFd() {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                int fd;
                memory.Check(Native.runtime_wake_fd(runtime, &fd, memory.Error));
                return fd;
            }
        }

        /// <summary>Shuts the runtime down permanently and waits: calls end soon, a wait for events included, and its thread.</summary>
        public override void Dispose() {
            Close((int) Abi.FOREVER);
        }

        /// <summary>As Dispose.  GputideException.Timeout if that takes longer: call again.</summary>
        public void Close(TimeSpan timeout) {
            Close(Durations.Ms(timeout));
        }

        private void Close(int timeoutMs) {
            BeginClosing();
            var clock = Stopwatch.StartNew();
            if (!Monitor.TryEnter(closer, timeoutMs)) throw GputideException.TimedOut("another call closes the ScalerRuntime");
            try {
                if (isEnded) return;
                End(timeoutMs < 0 ? timeoutMs : (int) Math.Max(0, timeoutMs - clock.ElapsedMilliseconds));
                isEnded = true;
            } finally {
                Monitor.Exit(closer);
            }
        }

        private void End(int timeoutMs) {
            using (CallMemory memory = CallMemory.Take()) memory.Check(Native.runtime_close(runtime, timeoutMs, memory.Error));
            Drain(-1); // the calls inside have been ended
            Release();
        }

        /// <summary>Ends the runtime's thread at the end of the process; nothing is freed, as threads may still be inside.</summary>
        internal void Exit(int timeoutMs) {
            try {
                BeginClosing();
                if (!isEnded) Native.runtime_close(runtime, timeoutMs, null);
            } catch (ObjectDisposedException) {
                // another thread has closed it meanwhile
            }
        }
    }
}
