using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    internal delegate T Waits<T>(CallMemory memory, CancelHandle cancel, int leftMs);

    /// <summary>A call that may wait, with a gputide_cancel of its own.  A CancellationToken, the closing of a handle and the end of
    /// the process end it.</summary>
    internal abstract class Wait {
        private const int ExitMs = 2000;
        private static readonly HashSet<Wait> InFlight = new HashSet<Wait>();
        private static readonly List<WeakReference<ScalerRuntime>> Runtimes = new List<WeakReference<ScalerRuntime>>();
        private readonly object gate = new object();
        private readonly Handle[] handles;
        private readonly Stopwatch clock = Stopwatch.StartNew();
        private CancelHandle cancel;

        static Wait() {
            AppDomain.CurrentDomain.ProcessExit += (sender, arguments) => Exit();
        }

        protected Wait(Handle[] handles) {
            this.handles = handles;
        }

        internal bool IsFired { get; private set; }

        protected int TimeoutMs { get; set; }

        /// <summary>The milliseconds that a turn on a handle may take; -1: any.</summary>
        internal int TurnMs {
            get { return TimeoutMs < 0 ? -1 : (int) Math.Max(0, TimeoutMs - clock.ElapsedMilliseconds); }
        }

        /// <summary>The timeout for C, which refuses 0 where it waits; one that was given as 0 stays so.</summary>
        protected int LeftMs {
            get { return TimeoutMs <= 0 ? TimeoutMs : Math.Max(1, TurnMs); }
        }

        internal void Fire() {
            lock (gate) {
                IsFired = true;
                if (cancel != null) Native.cancel_fire(cancel);
            }
            foreach (Handle handle in handles) handle.Wake();
        }

        /// <summary>Makes the call inside its handles, while it can be ended.</summary>
        protected T Run<T>(Waits<T> call) {
            using (CallMemory memory = CallMemory.Take()) {
                CancelHandle made = New(memory);
                using (made) {
                    Listen(made);
                    try {
                        return Entered(call, memory, made, 0);
                    } finally {
                        Unlisten();
                    }
                }
            }
        }

        private static unsafe CancelHandle New(CallMemory memory) {
            CancelHandle made;
            memory.Check(Native.cancel_new(out made, memory.Error));
            return made;
        }

        private T Entered<T>(Waits<T> call, CallMemory memory, CancelHandle made, int index) {
            if (index == handles.Length) return call(memory, made, LeftMs);
            handles[index].Begin(this);
            try {
                return Entered(call, memory, made, index + 1);
            } finally {
                handles[index].End();
            }
        }

        private void Listen(CancelHandle made) {
            lock (gate) {
                cancel = made;
                if (IsFired) Native.cancel_fire(made);
            }
            lock (InFlight) InFlight.Add(this);
            foreach (Handle handle in handles) handle.Add(this);
        }

        private void Unlisten() {
            foreach (Handle handle in handles) handle.Remove(this);
            lock (InFlight) InFlight.Remove(this);
            lock (gate) cancel = null;
        }

        /// <summary>Ends this runtime's thread with the process.</summary>
        internal static void AtExit(ScalerRuntime runtime) {
            lock (Runtimes) {
                Runtimes.RemoveAll(kept => !kept.TryGetTarget(out ScalerRuntime alive));
                Runtimes.Add(new WeakReference<ScalerRuntime>(runtime));
            }
        }

        /// <summary>Lets calls come out of C: after this the library's memory goes.</summary>
        private static void Exit() {
            var clock = Stopwatch.StartNew();
            foreach (Wait wait in Copied(InFlight)) wait.Fire();
            foreach (WeakReference<ScalerRuntime> kept in Copied(Runtimes)) {
                if (kept.TryGetTarget(out ScalerRuntime runtime)) {
                    runtime.Exit((int) Math.Max(0, ExitMs - clock.ElapsedMilliseconds));
                }
            }
            while (Copied(InFlight).Length > 0 && clock.ElapsedMilliseconds < ExitMs) Thread.Sleep(1);
        }

        private static T[] Copied<T>(ICollection<T> shared) {
            lock (shared) {
                var copy = new T[shared.Count];
                shared.CopyTo(copy, 0);
                return copy;
            }
        }
    }

    /// <summary>A call that may wait, and its result.</summary>
    internal sealed class Wait<T> : Wait {
        private readonly Waits<T> call;

        internal Wait(Waits<T> call, params Handle[] handles) : base(handles) {
            this.call = call;
        }

        /// <summary>Makes the call in this thread.</summary>
        internal T Here(TimeSpan? timeout, CancellationToken token) {
            return Here(Durations.Ms(timeout ?? Durations.Usual), token);
        }

        internal T Here(int timeoutMs, CancellationToken token) {
            TimeoutMs = timeoutMs;
            token.ThrowIfCancellationRequested();
            try {
                using (token.Register(Fire)) return Run(call);
            } catch (GputideException.Cancelled problem) when (token.IsCancellationRequested) {
                throw new OperationCanceledException(problem.Message, problem, token);
            }
        }

        /// <summary>Makes the call in a thread of its own, as C holds the thread that waits.</summary>
        internal Task<T> Async(TimeSpan? timeout, CancellationToken token) {
            return Async(Durations.Ms(timeout ?? Durations.Usual), token);
        }

        internal Task<T> Async(int timeoutMs, CancellationToken token) {
            const TaskCreationOptions own = TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach;
            return Task.Factory.StartNew(() => Here(timeoutMs, token), token, own, TaskScheduler.Default);
        }
    }
}
