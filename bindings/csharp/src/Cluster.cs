using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>A Kubernetes cluster without a runtime.  options name the API server and the user; the timeout is 60 s by
    /// default.</summary>
    public static unsafe class Cluster {
        /// <summary>Lists one collection completely, such as "/api/v1/nodes": the lists as the server wrote them, one per
        /// page.</summary>
        public static string List(string path, Options options = null, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Listing(path, options).Here(timeout ?? Durations.Long, cancel);
        }

        /// <summary>As List, in a thread of its own.</summary>
        public static Task<string> ListAsync(string path, Options options = null, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Listing(path, options).Async(timeout ?? Durations.Long, cancel);
        }

        private static Wait<string> Listing(string path, Options options) {
            byte[] raw = Texts.Terminated(path, nameof(path));
            return new Wait<string>((memory, cancel, leftMs) => {
                memory.Check(Native.cluster_list(raw, Options.In(memory, options), leftMs, cancel, memory.Text, memory.Error));
                return memory.TakeText();
            });
        }

        /// <summary>Tests whether a runtime could work on a cluster: API server, token, kinds, rights, the Lease.  Changes nothing; a step
        /// that fails is not an exception.</summary>
        /// <param name="settings">As for ScalerRuntime.AttachCluster.</param>
        /// <param name="options">The API server and the user.</param>
        /// <param name="timeout">Over all of it.</param>
        /// <param name="cancel">Ends the call.</param>
        public static Diagnosis Doctor(Text settings = default(Text), Options options = null, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Examining(settings, options).Here(timeout ?? Durations.Long, cancel);
        }

        /// <summary>As Doctor, in a thread of its own.</summary>
        public static Task<Diagnosis> DoctorAsync(Text settings = default(Text), Options options = null, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Examining(settings, options).Async(timeout ?? Durations.Long, cancel);
        }

        private static Wait<Diagnosis> Examining(Text settings, Options options) {
            return new Wait<Diagnosis>((memory, cancel, leftMs) => {
                memory.Check(Native.cluster_doctor(settings.Bytes, settings.Size, Options.In(memory, options), leftMs, cancel,
                    memory.Text, memory.SecondText, memory.Error));
                return new Diagnosis(memory);
            });
        }

        /// <summary>Hands one ScaledObject over from a running KEDA to gputide, or back, unless the change (JSON) is dry.  A refused step
        /// is not an exception; calling again goes on.</summary>
        /// <returns>JSON (docs/json.md, cluster_handover).</returns>
        public static string HandOver(Text change, Options options = null, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return HandingOver(change, options).Here(timeout ?? Durations.Long, cancel);
        }

        /// <summary>As HandOver, in a thread of its own.</summary>
        public static Task<string> HandOverAsync(Text change, Options options = null, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return HandingOver(change, options).Async(timeout ?? Durations.Long, cancel);
        }

        private static Wait<string> HandingOver(Text change, Options options) {
            return new Wait<string>((memory, cancel, leftMs) => {
                memory.Check(Native.cluster_handover(
                    change.Bytes, change.Size, Options.In(memory, options), leftMs, cancel, memory.Text, memory.Error));
                return memory.TakeText();
            });
        }
    }
}
