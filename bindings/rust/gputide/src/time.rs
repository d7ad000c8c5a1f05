//! Instants and durations: Rust's types outside, integer milliseconds inside.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Unix milliseconds, rounded down.
pub(crate) fn unix_ms(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => whole_ms(since).unwrap_or(i64::MAX),
        Err(before) => {
            let ms = before.duration().as_nanos().div_ceil(1_000_000);
            i64::try_from(ms).map_or(i64::MIN, |ms| -ms)
        }
    }
}

/// Without 128-bit numbers, as this is on the way of each decision; none beyond the largest.
fn whole_ms(duration: Duration) -> Option<i64> {
    let seconds = i64::try_from(duration.as_secs()).ok()?;
    seconds.checked_mul(1_000)?.checked_add(duration.subsec_millis().into())
}

/// None: 0, which says that nothing is known of it.
pub(crate) fn optional_ms(time: Option<SystemTime>) -> i64 {
    time.map_or(0, unix_ms)
}

pub(crate) fn instant(ms: i64) -> SystemTime {
    let distance = Duration::from_millis(ms.unsigned_abs());
    if ms < 0 {
        UNIX_EPOCH - distance
    } else {
        UNIX_EPOCH + distance
    }
}

/// None for 0.
pub(crate) fn optional_instant(ms: i64) -> Option<SystemTime> {
    (ms != 0).then(|| instant(ms))
}

/// Rounded up, so that a short wait is not none; one that is longer than C can say (24.8 days) becomes that.
pub(crate) fn duration_ms(duration: Duration) -> i32 {
    i32::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_up_and_clamped() {
        let cases = [
            (Duration::ZERO, 0),
            (Duration::from_nanos(1), 1),
            (Duration::from_millis(5), 5),
            (Duration::from_micros(1_500_001), 1_501),
            (Duration::MAX, i32::MAX),
        ];
        for (duration, ms) in cases {
            assert_eq!(duration_ms(duration), ms, "{duration:?}");
        }
    }

    #[test]
    fn instants_come_back_the_same() {
        for ms in [0, 1, -1, 1_795_255_200_000, i64::MAX, i64::MIN + 1] {
            assert_eq!(unix_ms(instant(ms)), ms);
        }
        assert_eq!(unix_ms(UNIX_EPOCH - Duration::from_nanos(1)), -1);
        assert_eq!(optional_instant(0), None);
    }
}
