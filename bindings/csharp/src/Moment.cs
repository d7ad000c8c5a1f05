using System;
using System.Globalization;
using System.Threading;

namespace Gputide {
    /// <summary>A point in time, in Unix milliseconds.  The default value is unknown; as an argument named now it is the
    /// clock's.</summary>
    public struct Moment : IEquatable<Moment> {
        private static readonly DateTimeOffset Epoch = new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero);
        private readonly bool isGiven;

        private Moment(long unixMs) {
            UnixMs = unixMs;
            isGiven = true;
        }

        /// <summary>Unix milliseconds; 0 if unknown.</summary>
        public long UnixMs { get; }

        /// <summary>Makes a moment of Unix milliseconds.</summary>
        public static Moment At(long unixMs) {
            return new Moment(unixMs);
        }

        /// <summary>Takes a time with its offset; a DateTime converts to it.</summary>
        public static implicit operator Moment(DateTimeOffset time) {
            return new Moment((time - Epoch).Ticks / TimeSpan.TicksPerMillisecond);
        }

        /// <summary>The clock's time now.</summary>
        public static Moment Now {
            get { return DateTimeOffset.UtcNow; }
        }

        /// <summary>As a time of .NET; null if it is unknown or beyond the year 9999.</summary>
        public DateTimeOffset? Time {
            get {
                bool fits = UnixMs != 0 && UnixMs >= -62135596800000 && UnixMs <= 253402300799999;
                return fits ? Epoch.AddTicks(UnixMs * TimeSpan.TicksPerMillisecond) : (DateTimeOffset?) null;
            }
        }

        internal long OrNow {
            get { return isGiven ? UnixMs : Now.UnixMs; }
        }

        /// <inheritdoc/>
        public bool Equals(Moment other) {
            return UnixMs == other.UnixMs;
        }

        /// <inheritdoc/>
        public override bool Equals(object other) {
            return other is Moment moment && Equals(moment);
        }

        /// <inheritdoc/>
        public override int GetHashCode() {
            return UnixMs.GetHashCode();
        }

        /// <summary>Returns the time in ISO 8601, "" if it is unknown.</summary>
        public override string ToString() {
            return Time == null ? "" : Time.Value.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture);
        }
    }

    internal static class Durations {
        internal static readonly TimeSpan Usual = TimeSpan.FromSeconds(10);
        internal static readonly TimeSpan Long = TimeSpan.FromSeconds(60);

        /// <summary>Returns milliseconds as LongMs, at most int.MaxValue.</summary>
        internal static int Ms(TimeSpan duration) {
            return (int) Math.Min(int.MaxValue, LongMs(duration));
        }

        /// <summary>Returns milliseconds, rounded up so that a short wait does not become 0.  Timeout.InfiniteTimeSpan becomes
        /// GPUTIDE_FOREVER.</summary>
        internal static long LongMs(TimeSpan duration) {
            if (duration == Timeout.InfiniteTimeSpan) return Abi.FOREVER;
            if (duration < TimeSpan.Zero) throw new ArgumentOutOfRangeException(nameof(duration), "a duration below zero: " + duration);
            long rest = duration.Ticks % TimeSpan.TicksPerMillisecond;
            return duration.Ticks / TimeSpan.TicksPerMillisecond + (rest == 0 ? 0 : 1);
        }
    }
}
