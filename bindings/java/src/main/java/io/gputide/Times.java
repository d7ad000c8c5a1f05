package io.gputide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Instants and durations to the milliseconds of C and back. */
final class Times {
    /** A wait of C's without an end. */
    static final int FOREVER_MS = Abi.FOREVER;

    private Times() {}

    /** Unix milliseconds; null: 0, which says that nothing is known of it. */
    static long unixMs(Instant moment) {
        return moment == null ? 0 : moment.toEpochMilli();
    }

    /** As {@link #unixMs}; null: the clock's. */
    static long nowMs(Instant moment) {
        return moment == null ? System.currentTimeMillis() : moment.toEpochMilli();
    }

    /** Empty for 0. */
    static Optional<Instant> instant(long unixMs) {
        return unixMs == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(unixMs));
    }

    /** Rounded up, so that a short wait is not none; a longer one than C can say (24.8 days) becomes that. */
    static int durationMs(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("a duration below zero: " + duration);
        }
        if (duration.getSeconds() >= Integer.MAX_VALUE / 1000) {
            return Integer.MAX_VALUE;
        }
        return Math.toIntExact(duration.plusNanos(999_999).toMillis());
    }

    /** As {@link #durationMs} without its limit. */
    static long longMs(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("a duration below zero: " + duration);
        }
        return duration.plusNanos(999_999).toMillis();
    }
}
