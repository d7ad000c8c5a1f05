//! Sections 6 and 7: numbers to decisions; and what failed calls give.

use gputide::{
    check_manifest, Action, Condition, DecisionSource, ErrorKind, Limit, LogLevel, Observation, Options, Pod,
    PodSample, Policy, Sample, SampleState, ScaleEvent, Source, State, Status, Truth,
};
use gputide_checks::json::Json;
use gputide_checks::support::{after_ms, now, scaled_object};
use std::time::Duration;

const HPA: &str = "
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {kind: Deployment, name: web}
  maxReplicas: 10
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
";

fn new_state() -> State {
    Policy::parse(scaled_object("demo")).unwrap().new_state().unwrap()
}

#[test]
fn the_policy_of_numbers_c_goes_from_3_to_6() {
    let decision = new_state().decide(&Observation::at(now(), 3).values(&[42.5])).unwrap();
    assert_eq!((decision.current(), decision.desired(), decision.proposed()), (3, 6, 9));
    assert_eq!(
        (decision.limited_by(), decision.limited_by().to_string().as_str()),
        (Limit::SCALE_UP, "scale_up_limit")
    );
    assert!(decision.wants_write() && decision.is_active() && decision.by_hpa() && decision.by_executor());
    assert_eq!((decision.now(), decision.next_due()), (now(), Some(after_ms(15_000))));
    assert_eq!((decision.winner(), decision.failed_metric(), decision.has_failed()), (0, -1, false));
    assert_eq!((decision.source(), decision.event()), (Some(DecisionSource::HPA), ScaleEvent::NO_SCALE_EVENT));
    assert_eq!((decision.report(), decision.explain().unwrap()), (None, None));
}

#[test]
fn numbers_samples_and_observations_decide_alike() {
    let decided = [
        new_state().decide_values(now(), 3, &[42.5]),
        new_state().decide(&Observation::at(now(), 3).values(&[42.5])),
        new_state().decide(&Observation::at(now(), 3).samples([Sample::of(42.5).at(now())])),
        new_state().decide(&Observation::at(now(), 3).samples([42.5.into()]).status_replicas(3).ready_replicas(3)),
    ]
    .map(|decision| {
        let decision = decision.unwrap();
        let conditions: Vec<_> = decision.conditions().collect();
        (decision.desired(), decision.proposed(), decision.limited_by(), conditions)
    });
    assert!(decided.iter().all(|each| *each == decided[0]), "{decided:?}");
}

#[test]
fn a_metric_without_a_number_fails() {
    let failed = Sample::failed(SampleState::TIMEOUT, Status::TIMEOUT, "no answer");
    for sample in [Sample::of(f64::NAN), Sample::of(f64::INFINITY), failed.clone()] {
        let decision = new_state().decide(&Observation::at(now(), 3).samples([sample])).unwrap();
        assert_eq!((decision.desired(), decision.has_failed(), decision.failed_metric()), (3, true, 0));
    }
    let decision = new_state().decide_values(now(), 3, &[f64::NAN]).unwrap();
    assert!(decision.has_failed());
    let mut state = new_state();
    let decision = state.set_reports(true).decide(&Observation::at(now(), 3).samples([failed])).unwrap();
    let report = decision.report().unwrap();
    assert!(report.contains("no answer"), "{report}");
    assert_eq!(Json::parse(report).unwrap().get("desired_replicas").number(), Some(3));
}

#[test]
fn pods_with_their_requests() {
    let pods =
        [0, 1].map(|index| Pod::new(format!("web-{index}").as_str()).started(after_ms(0) - Duration::from_secs(3_600)));
    let usage = [1, 2].map(|pod| PodSample::new(0, pod).value_milli(90).request_milli(100));
    let mut state = Policy::parse(HPA).unwrap().new_state().unwrap();
    let decision = state.set_reports(true).decide(&Observation::at(now(), 2).pods(pods).pod_samples(usage)).unwrap();
    assert_eq!((decision.proposed(), decision.desired()), (4, 4));
    assert!(decision.explain().unwrap().unwrap().contains("90 %"));
}

#[test]
fn records_change_the_decision_and_are_taken_once() {
    let mut state = new_state();
    let mut decision = state.decide_values(now(), 3, &[42.5]).unwrap();
    state.record(&mut decision, true, now()).unwrap();
    let able = decision.condition(Condition::ABLE_TO_SCALE);
    assert_eq!((able.truth, able.since), (Truth::TRUE, Some(now())));
    assert_eq!(able.reason.to_string(), "SucceededRescale");
    assert_eq!(decision.condition(Condition::from(99)).truth, Truth::ABSENT);
    let before = decision.clone();
    assert_eq!(state.record(&mut decision, true, now()).unwrap_err().kind(), ErrorKind::State);
    assert_eq!(decision, before);
}

#[test]
fn states_are_saved_and_loaded() {
    let policy = Policy::parse(scaled_object("demo")).unwrap();
    let mut state = policy.new_state_created(now()).unwrap();
    state.decide_values(now(), 3, &[42.5]).unwrap();
    let mut loaded = policy.load_state(state.save().unwrap()).unwrap();
    let looked_at = policy.load_state_unchecked(state.describe().unwrap()).unwrap();
    let plain = |state: &State| Json::parse(&state.describe().unwrap()).unwrap();
    assert_eq!(plain(&looked_at), plain(&state));
    let later =
        [&mut state, &mut loaded].map(|each| each.decide_values(after_ms(30_000), 6, &[1.0]).unwrap().desired());
    assert_eq!(later, [later[0]; 2]);
    assert_eq!(policy.load_state("not a state").unwrap_err().kind(), ErrorKind::State);
}

#[test]
fn what_the_library_refuses_is_an_error() {
    let mut state = new_state();
    assert_eq!(state.decide_values(now(), 3, &[1.0, 2.0]).unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(state.decide_values(std::time::UNIX_EPOCH, 3, &[1.0]).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn errors_say_where_what_and_what_to_do() {
    let text = scaled_object("demo").replace("\"maxReplicaCount\":20", "\"maxReplicaCount\":-1");
    let error = Policy::parse_with(text, &Options::new().text_name("so.json")).unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Invalid, Some(Status::INVALID)));
    assert_eq!((error.action(), error.is_retryable(), error.retry_at()), (Action::FIX_CONFIGURATION, false, None));
    assert_eq!(error.to_string(), format!("{}: {}", error.place(), error.message()));
    assert!(error.place().starts_with("so.json:"), "{}", error.place());
    assert_eq!(Json::parse(error.detail()).unwrap().get("class").text(), Some("config"));
    assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::InvalidInput);
}

#[test]
fn a_read_that_fails_has_its_sample() {
    let trigger =
        r#"{"type":"prometheus","metadata":{"serverAddress":"http://127.0.0.1:9","query":"q","threshold":"5"}}"#;
    let source = Source::open(trigger).unwrap();
    let error = source.parse(401, "unknown token").unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::Auth, Some(401)));
    let sample = error.sample().unwrap();
    assert_eq!((sample.state(), sample.status(), sample.value()), (SampleState::AUTH, Status::AUTH, None));
    assert!(source.request(now()).unwrap().contains("/api/v1/query"));
    assert!(source.describe().unwrap().contains("prometheus"));
    let body = r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1795255200,"42.5"]}]}}"#;
    let response = source.parse_all(200, "Content-Type: application/json", body).unwrap();
    assert!(response.contains(r#"{"a":"b"}"#) && response.contains("42.5"), "{response}");
}

#[test]
fn findings_are_no_errors() {
    let bad = scaled_object("demo").replace("\"minReplicaCount\":1", "\"minReplicaCount\":30");
    let [good, bad] = [scaled_object("demo"), bad].map(|text| check_manifest(text, &Options::new()).unwrap());
    assert!(good.is_ok() && !bad.is_ok());
    assert_eq!(Json::parse(&good.report).unwrap().get("scalers").items()[0].get("name").text(), Some("demo"));
    assert!(bad.lines.contains("minReplicaCount"), "{}", bad.lines);
}

#[test]
fn numbers_of_a_newer_library_stay_numbers() {
    assert_eq!((Limit::from(99).code(), Limit::from(99).to_string().as_str()), (99, "unknown"));
    assert_eq!(format!("{:?} {:?}", Limit::MIN, Limit::from(99)), "Limit::MIN Limit(99)");
    assert_eq!(format!("{:>8}|{:<8}|", Limit::NONE, LogLevel::INFO), "    none|info    |");
    assert_eq!(
        (Status::THROTTLED.to_string(), Action::FIX_CREDENTIALS.to_string()),
        ("E_THROTTLED".into(), "fix_credentials".into())
    );
    assert_eq!(ScaleEvent::ACTIVATED.to_string(), "KEDAScaleTargetActivated");
}
