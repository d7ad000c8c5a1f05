//! The sections forecast and nodes.

use gputide::{plan_nodes, ErrorKind, FloorReason, Forecast, ForecastState};
use gputide_checks::json::Json;
use gputide_checks::support::{after_ms, now};

fn drive(forecast: &mut Forecast, minutes: std::ops::Range<u64>) {
    for minute in minutes {
        forecast.step(after_ms(minute * 60_000), if minute % 60 < 10 { 100.0 } else { 20.0 }).unwrap();
    }
}

#[test]
fn what_comes_every_hour_is_asked_for_before() {
    let mut forecast = Forecast::open(Some(r#"{"warmup_ms":3600000}"#)).unwrap();
    let first = forecast.ask(5.0, 4, 4, 40).unwrap();
    assert_eq!((first.state, first.reason), (ForecastState::WARMING, FloorReason::WARMING_UP));
    assert_eq!((first.need_replicas, first.floor_load), (None, None));
    drive(&mut forecast, 0..2 * 1_440 + 56);
    let floor = forecast.ask(5.0, 4, 4, 40).unwrap();
    assert_eq!((floor.state, floor.replicas), (ForecastState::ON, 12));
    forecast.book(floor.replicas, 4).unwrap();
    let described = Json::parse(&forecast.describe().unwrap()).unwrap();
    assert!(described.get("skill_percent").number::<f64>().unwrap() > 2.0);
}

#[test]
fn a_forecasts_text_goes_on() {
    let (mut one, mut other) = (Forecast::open(None).unwrap(), Forecast::open(None).unwrap());
    drive(&mut one, 0..300);
    one.step(after_ms(300 * 60_000), f64::NAN).unwrap();
    other.load(one.save().unwrap()).unwrap();
    for forecast in [&mut one, &mut other] {
        drive(forecast, 301..400);
    }
    assert_eq!(one.save().unwrap(), other.save().unwrap());
    assert_eq!(other.load("{}").unwrap_err().kind(), ErrorKind::State);
}

#[test]
fn a_wrong_setting_is_named() {
    let error = Forecast::open(Some(r#"{"lead_ms":5}"#)).unwrap_err();
    assert_eq!((error.kind(), error.place()), (ErrorKind::Invalid, "lead_ms"));
}

#[test]
fn pods_that_wait_get_nodes_of_their_pool() {
    let text = r#"{"pools":[{"id":"gpu","size":0,"min":0,"max":4,"allocatable":{"cpu":8000,"memory":"32Gi","pods":110,"nvidia.com/gpu":1}}],
        "groups":[{"name":"train","count":2,"pod":{"requests":{"cpu":1000,"nvidia.com/gpu":1}}}]}"#;
    let plan = plan_nodes(text, None, now()).unwrap();
    assert_eq!((plan.errors, plan.pods_pending), (0, 2), "{}", plan.json);
    assert_eq!(plan.pods_pending, plan.pods_on_existing + plan.pods_on_new + plan.pods_left, "{}", plan.json);
    let next = plan_nodes(text, Some(&plan.state), now()).unwrap();
    assert_eq!(next.pods_pending, 2);
    assert_eq!(plan_nodes(text, Some("no state"), now()).unwrap_err().kind(), ErrorKind::State);
}
