using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Gputide {
    /// <summary>A C handle and the number of objects that need it: a policy outlives its Dispose while a state decides by
    /// it.</summary>
    internal abstract class NativeHandle : SafeHandle {
        private static long alive;
        private readonly bool blocks;
        private int users = 1;
        private bool isCounted;
        private bool isForgotten;

        /// <param name="blocks">Freeing waits for a thread of the library.</param>
        protected NativeHandle(bool blocks) : base(IntPtr.Zero, true) {
            this.blocks = blocks;
        }

        internal static long Alive {
            get { return Interlocked.Read(ref alive); }
        }

        public override bool IsInvalid {
            get { return handle == IntPtr.Zero; }
        }

        protected abstract void Free(IntPtr address);

        internal void Count() {
            isCounted = true;
            Interlocked.Increment(ref alive);
        }

        internal void Retain() {
            Interlocked.Increment(ref users);
        }

        internal void Release() {
            if (Interlocked.Decrement(ref users) == 0) Dispose();
        }

        protected override void Dispose(bool disposing) {
            isForgotten = !disposing;
            base.Dispose(disposing);
        }

        /// <summary>Frees.  The finalizer of a forgotten handle warns and does not wait; at the end of the process it leaves the
        /// memory to the system.</summary>
        protected override bool ReleaseHandle() {
            if (isForgotten) {
                if (Environment.HasShutdownStarted) return true;
                if (isCounted) Trace.TraceWarning("gputide: a {0} was forgotten open: dispose it", GetType().Name);
            }
            IntPtr address = handle;
            if (isForgotten && blocks) {
                new Thread(() => End(address)) { IsBackground = true, Name = "gputide-free" }.Start();
            } else {
                End(address);
            }
            return true;
        }

        private void End(IntPtr address) {
            Free(address);
            if (isCounted) Interlocked.Decrement(ref alive);
        }
    }

    /// <summary>The base of the classes over a C handle.  Dispose may be repeated; it ends calls that wait, waits until they have
    /// left, and frees.  A method of a disposed object is an ObjectDisposedException.</summary>
    public abstract class Handle : IDisposable {
        private readonly object gate = new object();
        private readonly HashSet<Wait> waits = new HashSet<Wait>();
        private readonly NativeHandle[] natives;
        private readonly bool isExclusive;
        private int calls;
        private bool isClosing;
        private int isReleased;

        /// <param name="isExclusive">Calls take turns: their C functions take T*, not const T*.</param>
        /// <param name="native">The handle.</param>
        /// <param name="companion">A handle of another object that is needed too, or null.</param>
        internal Handle(bool isExclusive, NativeHandle native, NativeHandle companion = null) {
            this.isExclusive = isExclusive;
            natives = companion == null ? new[] { native } : new[] { native, companion };
            native.Count();
            companion?.Retain();
        }

        /// <summary>Whether Dispose was called.</summary>
        public bool IsClosed {
            get { return isClosing; }
        }

        /// <inheritdoc/>
        public virtual void Dispose() {
            BeginClosing();
            Drain(-1);
            Release();
        }

        /// <summary>Refuses new calls, ends those that wait.</summary>
        internal void BeginClosing() {
            Wait[] open;
            lock (gate) {
                isClosing = true;
                Monitor.PulseAll(gate);
                open = new Wait[waits.Count];
                waits.CopyTo(open);
            }
            foreach (Wait wait in open) wait.Fire();
        }

        internal bool Drain(int timeoutMs) {
            var clock = Stopwatch.StartNew();
            lock (gate) {
                while (calls > 0) {
                    int left = timeoutMs < 0 ? -1 : (int) Math.Max(0, timeoutMs - clock.ElapsedMilliseconds);
                    if (!Monitor.Wait(gate, left)) return false;
                }
            }
            return true;
        }

        internal void Release() {
            if (Interlocked.Exchange(ref isReleased, 1) != 0) return;
            foreach (NativeHandle native in natives) native.Release();
        }

        /// <summary>Enters before a call that does not wait: using (Entered()).</summary>
        internal Inside Entered() {
            Begin(null);
            return new Inside(this);
        }

        internal struct Inside : IDisposable {
            private readonly Handle handle;

            internal Inside(Handle handle) {
                this.handle = handle;
            }

            public void Dispose() {
                handle.End();
            }
        }

        /// <summary>Enters; then End.  A call that waits gives up its turn at its deadline or when it is ended.</summary>
        internal void Begin(Wait wait) {
            lock (gate) {
                while (isExclusive && calls > 0 && !isClosing && wait?.IsFired != true) {
                    int left = wait == null ? -1 : wait.TurnMs;
                    if (left == 0) {
                        throw GputideException.TimedOut("another call used the " + GetType().Name
                            + " until the deadline; calls on it take turns");
                    }
                    Monitor.Wait(gate, left);
                }
                if (wait?.IsFired == true) throw GputideException.CancelledEarly();
                if (isClosing) throw new ObjectDisposedException(GetType().Name, "this " + GetType().Name + " is closed");
                calls++;
            }
        }

        internal void End() {
            lock (gate) {
                calls--;
                Monitor.PulseAll(gate);
            }
        }

        internal void Add(Wait wait) {
            lock (gate) waits.Add(wait);
        }

        internal void Remove(Wait wait) {
            lock (gate) waits.Remove(wait);
        }

        /// <summary>Lets calls that wait for their turn see that they were ended.</summary>
        internal void Wake() {
            lock (gate) Monitor.PulseAll(gate);
        }

        /// <summary>Makes a call that returns a status.</summary>
        internal unsafe void Act(Fails call) {
            using (Entered())
            using (CallMemory memory = CallMemory.Take()) {
                memory.Check(call(memory.Error));
            }
        }

        /// <summary>Makes a call that returns a text.</summary>
        internal string TextOf(Gives call) {
            using (Entered()) return CallMemory.TextOf(call);
        }
    }
}
