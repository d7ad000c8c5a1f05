//! A fleet of scalers: their triggers are polled side by side, each decision that matters is an event.
//!
//! cargo run --example fleet ADDRESS SECONDS     ADDRESS: of a Prometheus, or of what answers /api/v1/query as it does

use gputide::{Cancel, Observation, Runtime, RuntimeOptions};
use std::time::Duration;

fn manifest(name: &str, address: &str) -> String {
    format!(
        r#"
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {name}
  annotations: {{gputide.io/sync-period: 1s}}
spec:
  scaleTargetRef: {{name: {name}}}
  minReplicaCount: 1
  maxReplicaCount: 10
  pollingInterval: 1
  triggers:
    - type: prometheus
      metadata: {{serverAddress: "{address}", query: 'queue_length{{model="{name}"}}', threshold: "4"}}
"#
    )
}

/// Here a host would write to Kubernetes, to Ray, to its own process table.
fn resize(name: &str, replicas: i32) -> bool {
    println!("{name} now has {replicas} replicas");
    true
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [address, seconds] = [1, 2].map(|index| std::env::args().nth(index).expect("ADDRESS SECONDS"));
    let seconds = Duration::from_secs_f64(seconds.parse()?);
    let runtime = Runtime::with_options(&RuntimeOptions::new().start_spread(Duration::from_millis(200)))?;
    for name in ["chat", "embed", "rerank"] {
        let scaler = runtime.add(manifest(name, &address))?;
        runtime.observe(scaler, &Observation::now(1))?;
    }
    let end = Cancel::new()?;
    std::thread::scope(|scope| -> gputide::Result<()> {
        scope.spawn(|| {
            std::thread::sleep(seconds);
            end.fire();
        });
        for event in runtime.events_until(&end) {
            let mut event = event?;
            if event.wants_write() {
                let applied = resize(&event.name(), event.desired());
                runtime.record(&mut event, applied)?;
            }
        }
        Ok(())
    })?;
    println!("{}", runtime.stats()?);
    Ok(())
}
