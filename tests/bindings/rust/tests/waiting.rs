//! cancel, concurrent: calls that wait, and calls side by side.

use gputide::{Cancel, ErrorKind, Observation, Policy, Runtime, Sample, Scaler, ScalerId, Series, Source, Wait};
use gputide_checks::support::{after_ms, now, prometheus_trigger, scaled_object, with_trigger, Prometheus, SilentPeer};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

/// Measures how long after another thread fires it the call ends.
fn ends_after_fire<T: std::fmt::Debug>(call: impl FnOnce(Wait<'_>) -> gputide::Result<T>) -> Duration {
    let cancel = Cancel::new().unwrap();
    let (fired, when) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            fired.send(Instant::now()).unwrap();
            cancel.fire();
        });
        assert_eq!(call(Wait::of(LONG).cancel(&cancel)).unwrap_err().kind(), ErrorKind::Cancelled);
        when.recv().unwrap().elapsed()
    })
}

#[test]
fn cancel_from_another_thread_ends_a_fetch_within_200_ms() {
    let peer = SilentPeer::new();
    let mut source = Source::open(prometheus_trigger(&peer.address())).unwrap();
    let took = ends_after_fire(|wait| source.fetch(now(), wait));
    assert!(took < Duration::from_millis(200), "{took:?}");
}

#[test]
fn cancel_ends_every_other_call_that_waits() {
    let peer = SilentPeer::new();
    let manifest = with_trigger("demo", &prometheus_trigger(&peer.address()));
    let mut scaler = Scaler::open(&manifest).unwrap();
    let mut source = Source::open(prometheus_trigger(&peer.address())).unwrap();
    let (runtime, mut series) = (Runtime::new().unwrap(), Series::new().unwrap());
    let took = [
        ends_after_fire(|wait| source.fetch_all(now(), wait)),
        ends_after_fire(|wait| scaler.tick(&Observation::now(1), wait)),
        ends_after_fire(|wait| gputide::doctor(&manifest, &Default::default(), None, wait)),
        ends_after_fire(|wait| runtime.next_event(wait)),
        ends_after_fire(|wait| series.fetch(&mut scaler, 0, now()..=after_ms(60_000), Duration::from_secs(15), wait)),
    ];
    assert!(took.iter().all(|took| *took < Duration::from_millis(500)), "{took:?}");
}

#[test]
fn cancel_that_was_fired_ends_calls_to_come() {
    let (runtime, cancel) = (Runtime::new().unwrap(), Cancel::new().unwrap());
    cancel.fire();
    let ended = runtime.next_event(Wait::of(LONG).cancel(&cancel)).unwrap_err();
    assert_eq!(ended.kind(), ErrorKind::Cancelled);
    assert!(runtime.next_event(Wait::of(Duration::from_millis(20))).unwrap().is_none());
}

#[test]
fn a_deadline_is_kept_and_a_call_may_not_wait_for_ever() {
    let peer = SilentPeer::new();
    let mut source = Source::open(prometheus_trigger(&peer.address())).unwrap();
    let began = Instant::now();
    let error = source.fetch(now(), Duration::from_millis(200)).unwrap_err();
    assert_eq!((error.kind(), error.sample().map(Sample::value)), (ErrorKind::Timeout, Some(None)));
    assert!(began.elapsed() < Duration::from_secs(5));
    for wait in [Wait::forever(), Wait::of(Duration::ZERO)] {
        assert_eq!(source.fetch(now(), wait).unwrap_err().kind(), ErrorKind::Invalid);
    }
}

/// Returns the results of eight threads.
fn together<T: Send>(work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|index| scope.spawn(move || work(index))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn concurrent_threads_on_a_policy_agree_with_one() {
    let policy = Policy::parse(scaled_object("demo")).unwrap();
    let work = |_| {
        let mut state = policy.new_state().unwrap();
        let decide =
            |at: u64| state.decide_values(after_ms(at * 15_000), 3, &[(at * 31 % 97) as f64]).unwrap().desired();
        (0..200).map(decide).collect::<Vec<_>>()
    };
    let alone = work(0);
    assert!(together(work).iter().all(|each| *each == alone));
}

#[test]
fn concurrent_threads_on_a_scaler_take_turns() {
    let prometheus = Prometheus::new(42.5);
    let scaler = Scaler::open(with_trigger("demo", &prometheus_trigger(&prometheus.address))).unwrap();
    let scaler = std::sync::Mutex::new(scaler);
    let ticked = together(|index| {
        let observation = Observation::at(after_ms(index * 15_000), 3);
        scaler.lock().unwrap().tick(&observation, Duration::from_secs(10)).unwrap().current()
    });
    assert_eq!(ticked, [3; 8]);
}

#[test]
fn concurrent_threads_on_a_runtime() {
    let seconds = std::env::var("GPUTIDE_RUNTIME_SECONDS").map_or(1.0, |seconds| seconds.parse().unwrap());
    let runtime = Runtime::new().unwrap();
    runtime.start().unwrap();
    let ids: Vec<ScalerId> =
        (0..8).map(|index| runtime.add(scaled_object(&format!("demo-{index}"))).unwrap()).collect();
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let done = together(|index| {
        let (id, mut rounds) = (ids[index as usize], 0);
        while Instant::now() < until {
            let observation = Observation::now(index as i32 + 1).values(&[f64::from(rounds % 50)]);
            runtime.observe(id, &observation).unwrap();
            if let Some(mut event) = runtime.next_event(Duration::from_millis(10)).unwrap() {
                if event.wants_write() {
                    match runtime.record(&mut event, true) {
                        Err(error) if error.kind() != ErrorKind::State => panic!("{error}"),
                        _ => {} // E_STATE: a later one was recorded by another thread
                    }
                }
            }
            assert!(runtime.describe(id).unwrap().len() > 2);
            rounds += 1;
        }
        rounds
    });
    assert!(done.iter().all(|rounds| *rounds > 0), "{done:?}");
    let mut all: Vec<_> = runtime.scalers().collect();
    all.sort();
    assert_eq!(all, ids);
    runtime.close(Duration::from_secs(5)).unwrap();
}
