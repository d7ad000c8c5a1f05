//! The sections nodes, forecast, rightsize and jobs.

use gputide::{
    decide_scaled_job, plan_nodes, ErrorKind, FloorReason, Forecast, ForecastState, Options, Rightsize, UsageSample,
};
use gputide_checks::json::Json;
use gputide_checks::support::{after_ms, now};

fn drive(forecast: &mut Forecast, minutes: std::ops::Range<u64>) {
    for minute in minutes {
        forecast.add(after_ms(minute * 60_000), if minute % 60 < 10 { 100.0 } else { 20.0 }).unwrap();
    }
}

#[test]
fn what_comes_every_hour_is_asked_for_before() {
    let mut forecast = Forecast::open(Some(r#"{"warmup_ms":3600000}"#)).unwrap();
    let first = forecast.floor(5.0, 4, 4, 40).unwrap();
    assert_eq!((first.state, first.reason), (ForecastState::WARMING, FloorReason::WARMING_UP));
    assert_eq!((first.need_replicas, first.floor_load), (None, None));
    drive(&mut forecast, 0..2 * 1_440 + 56);
    let floor = forecast.floor(5.0, 4, 4, 40).unwrap();
    assert_eq!((floor.state, floor.replicas), (ForecastState::ON, 12));
    forecast.charge(floor.replicas, 4).unwrap();
    let described = Json::parse(&forecast.describe().unwrap()).unwrap();
    assert!(described.get("skill_percent").number::<f64>().unwrap() > 2.0);
}

#[test]
fn a_forecasts_text_goes_on() {
    let (mut first, mut other) = (Forecast::open(None).unwrap(), Forecast::open(None).unwrap());
    drive(&mut first, 0..300);
    first.add(after_ms(300 * 60_000), f64::NAN).unwrap();
    other.load(first.save().unwrap()).unwrap();
    for forecast in [&mut first, &mut other] {
        drive(forecast, 301..400);
    }
    assert_eq!(first.save().unwrap(), other.save().unwrap());
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

const SETTINGS: &str = r#"{"gpu_model":"A100","gpu_memory_bytes":"80G"}"#;

/// Two days of one sample a minute: 9 % busy, 12 GB of 80.
fn two_days(container: u32) -> Vec<UsageSample> {
    let at = |minute: u64| UsageSample::at(after_ms(minute * 60_000)).container(container);
    (0..2_880).map(|minute| at(minute).busy(9.0).memory_bytes(12_000_000_000)).collect()
}

#[test]
fn a_gpu_that_is_mostly_idle_is_shrunk() {
    let mut rightsize = Rightsize::open(SETTINGS).unwrap();
    let chat = rightsize.container("chat").unwrap();
    assert_eq!((chat, rightsize.container("chat").unwrap(), rightsize.container("llm").unwrap()), (1, 1, 2));
    let samples = two_days(chat);
    assert_eq!(rightsize.add(&samples).unwrap(), 2_880);
    assert_eq!(rightsize.add(&samples[..10]).unwrap(), 0, "older than the unit's last");
    assert_eq!(rightsize.add(&[]).unwrap(), 0);
    let end = after_ms(2 * 86_400_000);
    let recommended = rightsize.recommend(chat, end).unwrap();
    assert_eq!(Json::parse(&recommended).unwrap().get("verdict").text(), Some("change"), "{recommended}");
    let silent = rightsize.recommend(0, end).unwrap();
    assert_eq!(Json::parse(&silent).unwrap().get("verdict").text(), Some("hold"), "{silent}");
    assert_eq!(rightsize.recommend(9, end).unwrap_err().kind(), ErrorKind::NotFound);
    let unknown = UsageSample::at(end).container(9).busy(1.0);
    assert_eq!(rightsize.add(&[unknown]).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn an_out_of_memory_asks_for_more_at_once() {
    let (mut plain, mut short) = (Rightsize::open(SETTINGS).unwrap(), Rightsize::open(SETTINGS).unwrap());
    for rightsize in [&mut plain, &mut short] {
        rightsize.add(&two_days(0)[..59]).unwrap();
    }
    let then = after_ms(59 * 60_000);
    assert_eq!(short.add(&[UsageSample::at(then).out_of_memory(Some(40_000_000_000))]).unwrap(), 1);
    let [plain, short] = [plain, short].map(|rightsize| Json::parse(&rightsize.recommend(0, then).unwrap()).unwrap());
    assert_eq!((plain.get("after_oom"), short.get("after_oom")), (&Json::Bool(false), &Json::Bool(true)));
    assert_eq!(plain.get("verdict").text(), Some("hold"), "{plain}"); // of an hour too little is known
    assert_ne!(short.get("verdict").text(), Some("hold"), "{short}");
    let target = |plan: &Json| plan.get("memory").get("target").number::<f64>().unwrap();
    assert!(target(&plain) < 20e9 && target(&short) > 48e9, "{plain} {short}"); // 40 GB * oom_ratio
}

#[test]
fn a_containers_text_goes_on() {
    let (mut first, mut other) = (Rightsize::open(SETTINGS).unwrap(), Rightsize::open(SETTINGS).unwrap());
    let end = after_ms(2 * 86_400_000);
    first.add(&two_days(0)).unwrap();
    other.load(0, first.save(0, end).unwrap()).unwrap();
    assert_eq!(first.recommend(0, end).unwrap(), other.recommend(0, end).unwrap());
    assert_eq!(other.load(0, "{}").unwrap_err().kind(), ErrorKind::State);
    assert_eq!(first.recommend(0, end).unwrap(), other.recommend(0, end).unwrap(), "never half-loaded");
}

#[test]
fn settings_are_described_and_a_wrong_one_is_named() {
    let options = Options::new().file("more.yaml", "gpus: 2");
    let described = Rightsize::open_with("", &options).unwrap().describe().unwrap();
    assert_eq!(Json::parse(&described).unwrap().get("gpus").number(), Some(2), "{described}");
    let error = Rightsize::open("gpus: 0").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.place().contains("gpus"), "{error}");
}

#[test]
fn a_need_that_is_known_fits_somewhere() {
    let rightsize = Rightsize::open(SETTINGS).unwrap();
    let fits = rightsize.fit(5_000_000_000, 12.5).unwrap();
    assert!(Json::parse(&fits).is_ok() && fits.contains("\"mig\""), "{fits}");
    assert_eq!(rightsize.fit(1, f64::NAN).unwrap_err().kind(), ErrorKind::Invalid);
}

const JOBS: &str = r#"{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},
    "spec":{"jobTargetRef":{"template":{}},"triggers":[{"type":"prometheus",
        "metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}}"#;

#[test]
fn jobs_are_created_for_what_waits() {
    let decision = decide_scaled_job(JOBS, r#"{"values":[12.5],"running":3}"#, &Options::new()).unwrap();
    assert_eq!(Json::parse(&decision).unwrap().get("create").number(), Some(4), "{decision}");
    let error = decide_scaled_job(JOBS, r#"{"values":[]}"#, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
}

#[test]
fn one_scaled_job_of_several_is_named() {
    let both = format!("{JOBS}\n---\n{}", JOBS.replace("train", "tune"));
    let observation = r#"{"values":[2]}"#;
    assert_eq!(decide_scaled_job(&both, observation, &Options::new()).unwrap_err().kind(), ErrorKind::Ambiguous);
    decide_scaled_job(&both, observation, &Options::new().scaler("tune")).unwrap();
}
