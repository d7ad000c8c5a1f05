//! A decision from plain numbers: no file, no network, no clock.  GPU utilization 42.5 % on 3 replicas, threshold 5.

use gputide::{Observation, Policy};
use std::time::{Duration, UNIX_EPOCH};

const MANIFEST: &str = r#"
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  minReplicaCount: 1
  maxReplicaCount: 20
  triggers:
    - type: values
      metadata: {threshold: "5", activationThreshold: "2"}
"#;

fn main() -> gputide::Result<()> {
    let mut now = UNIX_EPOCH + Duration::from_secs(1_795_219_200); // 2026-11-21
    let mut replicas = 3;
    let mut state = Policy::parse(MANIFEST)?.new_state_created(now)?;
    state.set_reports(true);
    for utilization in [42.5, 42.5, 21.0, 4.0] {
        let mut decision = state.decide(&Observation::at(now, replicas).values(&[utilization]))?;
        println!(
            "{} -> {}, proposed {}, limited by {}",
            decision.current(),
            decision.desired(),
            decision.proposed(),
            decision.limited_by()
        );
        if decision.wants_write() {
            replicas = decision.desired();
            state.record(&mut decision, true, now)?;
        }
        if utilization == 4.0 {
            println!("{}", decision.explain()?.unwrap_or_default());
        }
        now += Duration::from_secs(15);
    }
    Ok(())
}
