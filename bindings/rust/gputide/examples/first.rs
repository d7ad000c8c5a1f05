//! A manifest to a decision: cargo run --example first MANIFEST REPLICAS
use gputide::{Observation, Scaler};
use std::time::Duration;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [manifest, replicas] = [1, 2].map(|index| std::env::args().nth(index).expect("MANIFEST REPLICAS"));
    let mut scaler = Scaler::options().allow_environment(true).open(std::fs::read(manifest)?)?;
    let mut decision = scaler.tick(&Observation::now(replicas.parse()?), Duration::from_secs(5))?;
    println!("{} -> {} ({})", decision.current(), decision.desired(), decision.limited_by());
    if decision.wants_write() {
        let applied = true; // here: write decision.desired() to the target, and record whether it succeeded
        scaler.record(&mut decision, applied)?;
    }
    Ok(())
}
