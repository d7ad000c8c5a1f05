//! Sections 8 to 10 and the log: scalers, runtimes, replays over a peer on loopback.

use gputide::{
    doctor, Cancel, ErrorKind, EventKind, LogLevel, LogReader, Observation, Options, Replay, Runtime, RuntimeOptions,
    Sample, SampleState, Scaler, Series, Source, Wait,
};
use gputide_checks::json::Json;
use gputide_checks::support::{after_ms, now, prometheus_trigger, scaled_object, with_trigger, Prometheus};
use std::time::{Duration, SystemTime};

const TEN: Duration = Duration::from_secs(10);

#[test]
fn a_scaler_ticks_records_and_is_saved() {
    let prometheus = Prometheus::new(42.5);
    let manifest = with_trigger("demo", &prometheus_trigger(&prometheus.address));
    let mut scaler = Scaler::options().text_name("so.json").open(&manifest).unwrap();
    let mut decision = scaler.set_reports(true).tick(&Observation::at(now(), 3), TEN).unwrap();
    assert_eq!((decision.desired(), decision.report().is_some()), (6, true));
    scaler.record_at(&mut decision, true, now()).unwrap();
    let described = scaler.describe().unwrap();
    for part in ["s0-prometheus", "42.5", "AbleToScale", "\"policy\""] {
        assert!(described.contains(part), "{part}: {described}");
    }
    let mut again = Scaler::open(&manifest).unwrap();
    again.load(scaler.save().unwrap()).unwrap();
    let observation = Observation::at(after_ms(15_000), 6);
    assert_eq!(again.tick(&observation, TEN).unwrap().desired(), scaler.tick(&observation, TEN).unwrap().desired());
    assert_eq!(again.load("no state").unwrap_err().kind(), ErrorKind::State);
}

#[test]
fn a_source_reads_one_value_and_all() {
    let prometheus = Prometheus::new(42.5);
    let mut source = Source::open(prometheus_trigger(&prometheus.address)).unwrap();
    assert_eq!(source.fetch(now(), TEN).unwrap().value(), Some(42.5));
    prometheus.set("load", 7.0);
    let all = source.fetch_all(now(), TEN).unwrap();
    assert!(all.contains("7"), "{all}");
}

#[test]
fn the_doctor_finds_the_step_that_fails() {
    let prometheus = Prometheus::new(42.5);
    let good = with_trigger("demo", &prometheus_trigger(&prometheus.address));
    let found = doctor(good, &Options::new(), Some(&Observation::now(3)), TEN).unwrap();
    assert!(found.lines.contains("42.5"), "{}", found.lines);
    let bad = with_trigger("demo", &prometheus_trigger("http://127.0.0.1:9"));
    let found = doctor(bad, &Options::new(), None, TEN).unwrap();
    assert!(found.report.contains("\"failed\""), "{}", found.report);
}

#[test]
fn a_runtime_steps_by_a_clock_of_ones_own() {
    let options = RuntimeOptions::new().reports(true).start_spread(Duration::from_millis(1)).seed(7);
    let runtime = Runtime::with_options(&options).unwrap();
    let id = runtime.add_with(scaled_object("demo"), &Options::new(), u64::MAX).unwrap();
    assert_eq!(runtime.find("default/demo").unwrap(), id);
    runtime.observe(id, &Observation::at(now(), 3).values(&[42.5])).unwrap();
    let mut time = now();
    let mut event = loop {
        time = runtime.step(time).unwrap().unwrap_or(time);
        if let Some(event) = runtime.next_event(Duration::ZERO).unwrap() {
            break event;
        }
    };
    assert_eq!((event.id(), event.tag(), event.name().as_str()), (id, u64::MAX, "default/demo"));
    assert_eq!((event.kind(), event.current(), event.desired()), (EventKind::DECISION, 3, 6));
    assert_eq!((event.sequence(), event.replaced(), event.observed()), (1, 0, Some(now())));
    assert!(event.decision().report().unwrap().contains("\"desired_replicas\":6"));
    runtime.record_decision(id, event.decision_mut(), true, time).unwrap();
    assert_eq!(runtime.record(&mut event, true).unwrap_err().kind(), ErrorKind::State);
    let described = Json::parse(&runtime.describe(id).unwrap()).unwrap();
    assert_eq!(described.get("current_replicas").number(), Some(6));
    runtime.push(id, &[Sample::of(1.0)]).unwrap();
    let saved = runtime.save(id).unwrap();
    runtime.load(id, saved).unwrap();
    runtime.replace(id, scaled_object("demo"), &Options::new(), Some(5)).unwrap();
    assert_eq!(runtime.scalers().collect::<Vec<_>>(), [id]);
    runtime.remove(id).unwrap();
    assert_eq!(runtime.remove(id).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(runtime.next_scaler(None).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn events_come_until_the_cancel_is_fired() {
    let prometheus = Prometheus::new(42.5);
    let runtime = Runtime::with_options(&RuntimeOptions::new().start_spread(Duration::from_millis(1))).unwrap();
    let id = runtime.add(with_trigger("demo", &prometheus_trigger(&prometheus.address))).unwrap();
    runtime.observe(id, &Observation::now(3)).unwrap();
    let end = Cancel::new().unwrap();
    let mut sizes = Vec::new();
    for event in runtime.events_until(&end) {
        let mut event = event.unwrap();
        runtime.record(&mut event, true).unwrap();
        sizes.push(event.desired());
        end.fire();
    }
    assert_eq!(sizes, [6]);
    runtime.start().unwrap();
    assert_eq!(runtime.start().unwrap_err().kind(), ErrorKind::State);
    runtime.stop(TEN).unwrap();
}

#[test]
fn due_events_ask_for_an_observation() {
    let options = RuntimeOptions::new().observe_first(true).start_spread(Duration::from_millis(1));
    let runtime = Runtime::with_options(&options).unwrap();
    let id = runtime.add(scaled_object("demo")).unwrap();
    let event = runtime.next_event(TEN).unwrap().unwrap();
    assert!(event.is_due() && !event.wants_write() && event.id() == id);
    runtime.observe(id, &Observation::now(3).values(&[42.5])).unwrap();
    assert_eq!(runtime.next_event(TEN).unwrap().unwrap().desired(), 6);
}

#[test]
fn replays_of_a_sealed_series_come_to_the_same() {
    let values: Vec<_> = (0..240).map(|index| (after_ms(index * 15_000), (index % 60) as f64)).collect();
    let mut series = Series::new().unwrap();
    series.add(0, values.iter().copied()).unwrap();
    series.add_replicas([(now(), 3)]).unwrap();
    let csv = series.write().unwrap();
    let mut again = Series::new().unwrap();
    again.read(Some(0), &csv, None).unwrap();
    assert_eq!(again.write().unwrap(), csv);
    assert!(series.describe().unwrap().contains("\"points\""));
    let sealed = series.seal().unwrap();
    let reports: Vec<_> = std::thread::scope(|scope| {
        let run = || {
            let mut replay = Replay::open(scaled_object("demo"), &Options::new(), Some(r#"{"model":"open"}"#)).unwrap();
            replay.run(&sealed, None).unwrap();
            replay.report().unwrap()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(reports.iter().all(|report| *report == reports[0] && report.contains("summary")));
    let clone = sealed.clone();
    let sealed = sealed.unseal().unwrap_err();
    drop(clone);
    sealed.unseal().unwrap().add(0, [(now(), 1.0)]).unwrap();
    assert!(Series::new().unwrap().seal().is_ok());
}

#[test]
fn a_replay_goes_moment_by_moment_or_is_cancelled() {
    let mut replay = Replay::open(scaled_object("demo"), &Options::new(), None).unwrap();
    let first = replay.record(now(), &[Sample::of(9.0)], Some(3)).unwrap();
    assert_eq!(first.source(), None);
    let last = replay.record(after_ms(60_000), &[Sample::with_state(SampleState::NOT_GIVEN, 0.0)], None).unwrap();
    assert!(last.source().is_some());
    let (cancel, mut series) = (Cancel::new().unwrap(), Series::new().unwrap());
    cancel.fire();
    series.add(0, (0..50_000).map(|index| (after_ms(index * 15_000), 1.0))).unwrap();
    let mut replay = Replay::open(scaled_object("demo"), &Options::new(), None).unwrap();
    let ended = replay.run(&series.seal().unwrap(), Some(&cancel)).unwrap_err();
    assert_eq!(ended.kind(), ErrorKind::Cancelled);
}

#[test]
fn log_waits_end_in_time_or_when_the_reader_is_closed() {
    let mut reader = LogReader::open(LogLevel::DEBUG).unwrap();
    let closer = reader.closer();
    let began = SystemTime::now();
    let ender = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        closer.close();
    });
    reader.lines().for_each(drop);
    assert!(began.elapsed().unwrap() < TEN);
    ender.join().unwrap();
    assert_eq!(reader.next_line(Wait::forever()).unwrap_err().kind(), ErrorKind::Cancelled);
    let mut fresh = LogReader::open(LogLevel::ERROR).unwrap();
    assert!(fresh.next_line(Duration::from_millis(20)).unwrap().is_none());
}
