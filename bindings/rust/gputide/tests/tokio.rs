//! The feature tokio: calls that wait as futures, events as a stream.

use futures_core::Stream;
use gputide::{
    doctor_async, doctor_cluster_async, Credential, ErrorKind, LogLevel, LogReader, Observation, Options, Replay,
    Runtime, RuntimeOptions, Scaler, Series, Source,
};
use gputide_checks::support::{after_ms, now, prometheus_trigger, scaled_object, with_trigger, Prometheus, SilentPeer};
use std::sync::Arc;
use std::time::{Duration, Instant};

const TEN: Duration = Duration::from_secs(10);

fn quick() -> RuntimeOptions {
    RuntimeOptions::new().start_spread(Duration::from_millis(1))
}

#[tokio::test]
async fn futures_give_what_the_calls_give() {
    let prometheus = Prometheus::new(42.5);
    let manifest = with_trigger("demo", &prometheus_trigger(&prometheus.address));
    let mut scaler = Scaler::open(&manifest).unwrap();
    let mut source = Source::open(prometheus_trigger(&prometheus.address)).unwrap();
    let observation = Observation::at(now(), 3);
    let (decision, sample) = tokio::join!(scaler.tick_async(&observation, TEN), source.fetch_async(now(), TEN));
    assert_eq!((decision.unwrap().desired(), sample.unwrap().value()), (6, Some(42.5)));
    assert!(source.fetch_all_async(now(), TEN).await.unwrap().contains("42.5"));
    assert!(doctor_async(manifest, &Options::new(), Some(&observation), TEN).await.unwrap().lines.contains("42.5"));
    let refused = doctor_cluster_async("nope: 1", &Options::new(), TEN).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    let credential = Credential::open_with("provider: azure-cli", &Options::new().allowed_programs(["az"])).unwrap();
    assert_eq!(credential.token_async("https://a/.default", TEN).await.unwrap_err().kind(), ErrorKind::Unsupported);
    let mut reader = LogReader::open(LogLevel::ERROR).unwrap();
    assert!(reader.next_line_async(Duration::from_millis(20)).await.unwrap().is_none());
    let (mut series, mut replay) =
        (Series::new().unwrap(), Replay::open(scaled_object("demo"), &Options::new(), None).unwrap());
    let step = Duration::from_secs(15);
    let refused = series.fetch_async(&mut scaler, 9, now()..=after_ms(60_000), step, TEN).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotFound);
    series.add(0, [(now(), 9.0), (after_ms(60_000), 9.0)]).unwrap();
    replay.run_async(&series.seal().unwrap()).await.unwrap();
    assert!(replay.report().unwrap().contains("summary"));
}

#[tokio::test]
async fn cancel_by_dropping_the_future_ends_its_call() {
    let peer = SilentPeer::new();
    let mut source = Source::open(prometheus_trigger(&peer.address())).unwrap();
    let left = tokio::time::timeout(Duration::from_millis(200), source.fetch_async(now(), 6 * TEN)).await;
    assert!(left.is_err());
    let began = Instant::now();
    assert!(source.describe().unwrap().contains("prometheus")); // waits until the call has left the source
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    let ended = source.fetch_async(now(), Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(ended.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_stream_drives_the_runtime_and_misses_nothing() {
    let prometheus = Prometheus::new(42.5);
    let runtime = Arc::new(Runtime::with_options(&quick().every_decision(true)).unwrap());
    let trigger = prometheus_trigger(&prometheus.address);
    let text = with_trigger("demo", &trigger).replace(
        r#""metadata":{"name":"demo"}"#,
        r#""metadata":{"name":"demo","annotations":{"gputide.io/sync-period":"1s"}}"#,
    );
    let id = runtime.add(text).unwrap();
    runtime.observe(id, &Observation::now(3)).unwrap();
    let began = Instant::now();
    let taken = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move {
            let (mut sizes, mut events) = (Vec::new(), runtime.events_stream().unwrap());
            while let Some(event) = events.next().await {
                let mut event = event.unwrap();
                if event.wants_write() {
                    runtime.record(&mut event, true).unwrap();
                }
                sizes.push(event.desired());
            }
            sizes
        }
    });
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    runtime.close(TEN).unwrap();
    let sizes = taken.await.unwrap();
    assert!((3..=5).contains(&sizes.len()), "one decision a second for 3.5 s: {sizes:?}");
    assert_eq!((sizes[0], began.elapsed() < TEN), (6, true));
}

#[tokio::test]
async fn a_stream_takes_what_the_runtimes_own_thread_brings() {
    let runtime = Arc::new(Runtime::with_options(&quick()).unwrap());
    runtime.start().unwrap();
    let mut events = runtime.events_stream().unwrap();
    let id = runtime.add(scaled_object("demo")).unwrap();
    runtime.observe(id, &Observation::now(3).values(&[42.5])).unwrap();
    let first = std::future::poll_fn(|context| std::pin::Pin::new(&mut events).poll_next(context)).await;
    assert_eq!(first.unwrap().unwrap().desired(), 6);
    assert!(tokio::time::timeout(Duration::from_millis(100), events.next()).await.is_err());
    runtime.close(TEN).unwrap();
    assert!(events.next().await.is_none());
    drop(events);
    let other = Arc::new(Runtime::new().unwrap());
    assert!(other.next_event_async(Duration::from_millis(20)).await.unwrap().is_none());
}
