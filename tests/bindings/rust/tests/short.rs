//! short: the examples do what the README says, and the first of them is short.

use gputide_checks::support::{folder, scaled_object, Prometheus};
use std::path::PathBuf;
use std::process::Command;

/// An example of this build: beside the tests' folder.
fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().with_file_name("examples").join(name)
}

fn output(name: &str, arguments: &[&str]) -> String {
    let done = Command::new(example(name)).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn short_is_the_first_program_and_it_is_the_readmes() {
    let code = std::fs::read_to_string(folder().join("gputide/examples/first.rs")).unwrap();
    assert!(code.lines().filter(|line| !line.starts_with("//")).count() <= 15, "{code}");
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let body = code.split_once('\n').unwrap().1;
    assert!(readme.contains(body), "README.md has another first program");
}

#[test]
fn short_program_asks_prometheus_and_decides() {
    let prometheus = Prometheus::new(42.5);
    let trigger = gputide_checks::support::prometheus_trigger(&prometheus.address);
    let path = std::env::temp_dir().join(format!("gputide-{}.json", std::process::id()));
    std::fs::write(&path, gputide_checks::support::with_trigger("demo", &trigger)).unwrap();
    assert_eq!(output("first", &[path.to_str().unwrap(), "3"]), "3 -> 6 (scale_up_limit)\n");
    std::fs::write(&path, scaled_object("demo")).unwrap();
    assert_eq!(output("first", &[path.to_str().unwrap(), "3"]), "3 -> 3 (no_data)\n");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn numbers_alone_go_from_3_to_6() {
    let said = output("numbers_alone", &[]);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], "3 -> 6, proposed 9, limited by scale_up_limit");
    assert_eq!(lines[3], "9 -> 9, proposed 1, limited by stabilized");
    assert!(said.contains("AbleToScale"), "{said}");
}

#[test]
fn a_fleet_follows_its_queues() {
    let prometheus = Prometheus::new(0.0);
    for (name, length) in [("chat", 20.0), ("embed", 7.0), ("rerank", 1.0)] {
        prometheus.set(name, length);
    }
    let said = output("fleet", &[&prometheus.address, "3"]);
    assert!(said.contains("chat now has 4 replicas\n"), "{said}");
    assert!(said.contains("embed now has 2 replicas\n"), "{said}");
    assert!(!said.contains("rerank now has"), "{said}");
}
