//! nul, big, unicode: what crosses as text.

use gputide::{
    check_manifest, Credential, ErrorKind, Observation, Options, Pod, Policy, Rightsize, Runtime, Sample, SampleState,
    Scaler, Series, Status,
};
use gputide_checks::json::Json;
use gputide_checks::support::{now, scaled_object, with_trigger, NOW_MS};
use std::time::Duration;

const BEYOND_BMP: &str = "\u{1F680}\u{20000}";

#[test]
fn nul_in_a_manifest_is_the_librarys_to_refuse() {
    let error = Policy::parse("kind: ScaledObject\nmetadata: {name: \0}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.place().contains(":2"), "{error}");
}

#[test]
fn nul_in_a_name_a_path_or_a_scope_never_reaches_c() {
    let options = Options::new().allowed_programs(["az"]);
    let credential = Credential::open_with("provider: azure-cli", &options).unwrap();
    let (runtime, mut series) = (Runtime::new().unwrap(), Series::new().unwrap());
    let id = runtime.add(scaled_object("demo")).unwrap();
    let parsed = |options: Options| Policy::parse_with(scaled_object("demo"), &options).err();
    let mut rightsize = Rightsize::open("").unwrap();
    let odd = Sample::failed(SampleState::FAILED, Status::TIMEOUT, "a\0b");
    let refused = [
        parsed(Options::new().scaler("de\0mo")),
        parsed(Options::new().ca_file("/etc\0/ca")),
        parsed(Options::new().file("a\0b", "")),
        parsed(Options::new().allowed_programs(["az,sh"])),
        parsed(Options::new().allowed_programs(["a\0z"])),
        credential.token("https://a\0b", Duration::from_secs(1)).err(),
        credential.invalidate("https://a\0b", "token").err(),
        runtime.find("a\0b").err(),
        runtime.observe(id, &Observation::now(1).pods([Pod::new("a\0b")])).err(),
        runtime.push(id, &[odd]).err(),
        series.read(Some(0), "time,value\n", Some("a\0b")).err(),
        rightsize.container("a\0b").err(),
    ];
    for (index, error) in refused.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("{index} was not refused"));
        assert_eq!((error.kind(), error.status()), (ErrorKind::Nul, None), "{index}: {error}");
    }
}

#[test]
fn big_manifests_are_beyond_the_limit() {
    let error = Policy::parse("# ".to_owned() + &"x".repeat(10 << 20)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.message().contains("at most 1048576"), "{error}");
}

#[test]
fn big_series_go_through_whole() {
    let points = 550_000_usize;
    let mut text = String::from("time,value\n");
    for index in 0..points {
        text.push_str(&format!("{},{}.25\n", NOW_MS as usize + index * 1_000, index % 100));
    }
    assert!(text.len() > 10 << 20);
    let mut series = Series::new().unwrap();
    series.read(Some(0), &text, None).unwrap();
    let described = Json::parse(&series.describe().unwrap()).unwrap();
    assert_eq!(described.get("points").number(), Some(points));
    assert_eq!(series.write().unwrap().lines().count(), points + 1);
}

#[test]
fn unicode_beyond_the_bmp_comes_back_the_same() {
    let trigger = format!(r#"{{"type":"values","name":"{BEYOND_BMP}","metadata":{{"threshold":"5"}}}}"#);
    let policy = Policy::parse(with_trigger("demo", &trigger)).unwrap();
    assert_eq!(policy.metrics(), [BEYOND_BMP]);
    assert!(policy.describe().unwrap().contains(BEYOND_BMP));
    let mut state = policy.new_state().unwrap();
    let decision = state.set_reports(true).decide(&Observation::at(now(), 3).values(&[42.5])).unwrap();
    assert!(decision.explain().unwrap().unwrap().contains(BEYOND_BMP));
}

#[test]
fn unicode_that_was_cut_is_still_text() {
    let trigger = format!(r#"{{"type":"{}","metadata":{{}}}}"#, BEYOND_BMP.repeat(2_000));
    let error = Policy::parse(with_trigger("demo", &trigger)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(!error.message().contains('\u{FFFD}'), "{error}");
}

#[test]
fn bytes_are_taken_as_they_are() {
    assert!(check_manifest(scaled_object("demo").as_bytes(), &Options::new()).unwrap().is_ok());
    assert_eq!(Scaler::open(b"\xff\xfe").unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn quantities_and_claims() {
    let milli = ["1500m", "2Ki", "0.1"].map(|text| gputide::quantity(text).unwrap());
    assert_eq!(milli, [1_500, 2_048_000, 100]);
    assert_eq!(gputide::token_claims("no token").unwrap_err().kind(), ErrorKind::Protocol);
    let claims = gputide::token_claims("eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x").unwrap();
    assert_eq!(Json::parse(&claims).unwrap().get("sub").text(), Some("me"));
}
