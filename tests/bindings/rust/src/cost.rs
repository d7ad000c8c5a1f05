//! The nanoseconds of one `State::decide_values` with one number, the best of 200 rounds: what bench/bindings/decide.c measures,
//! from Rust.

use gputide::Policy;
use gputide_checks::support::{after_ms, scaled_object};
use std::time::Instant;

const ROUNDS: u32 = 200;
const CALLS: u64 = 1_000;

fn main() -> gputide::Result<()> {
    let mut state = Policy::parse(scaled_object("demo"))?.new_state()?;
    let (mut at_ms, mut best) = (0, f64::INFINITY);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for index in 0..CALLS {
            let decision = state.decide_values(after_ms(at_ms), 3, &[(10 + index % 7) as f64])?;
            std::hint::black_box(&decision);
            at_ms += 15_000;
        }
        best = best.min(start.elapsed().as_secs_f64() / CALLS as f64);
    }
    println!("{:.0}", best * 1e9);
    Ok(())
}
