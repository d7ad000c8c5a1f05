//! wrong_abi, missing: which library is opened, and what is said where none can be.  With the feature dlopen.
#![cfg(feature = "dlopen")]

use gputide::{ErrorKind, Limit, Policy};
use gputide_checks::support::{again, folder};
use std::path::PathBuf;
use std::process::Command;

/// A library that says of itself what it is told.
fn stub(name: &str, abi: i32, release: i32) -> PathBuf {
    let path = std::env::temp_dir().join(format!("gputide-{}-{name}.so", std::process::id()));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let done = Command::new(compiler)
        .args(["-shared", "-fPIC", &format!("-DABI={abi}"), &format!("-DRELEASE={release}"), "-o"])
        .args([&path, &folder().join("../../tests/bindings/stub.c")])
        .status();
    assert!(done.unwrap().success());
    path
}

/// The message of a program that finds this.
fn message(environment: &[(&str, &str)]) -> String {
    let done = again("opens", environment);
    String::from_utf8(done.stdout).unwrap()
}

#[test]
#[ignore = "a part of the others, in a process of its own"]
fn opens() {
    assert_eq!((Limit::MIN.code(), format!("{:?}", Limit::MIN).as_str()), (5, "Limit::MIN")); // needs no library
    match Policy::parse("x") {
        Err(error) if error.kind() == ErrorKind::Library => println!("{error}"),
        _ => println!("opened {}", gputide::library_path().unwrap().display()),
    }
}

#[test]
fn wrong_abi_is_named_with_what_is_wrong_and_the_remedy() {
    let wrong = [
        ("ABI 99: a newer release", 99, 99_000_000),
        ("ABI 0: an older release", 0, 1_000),
        ("release 0.1.7: too old", 1, 1_007),
        ("release 0.3.0 is incomplete", 1, 3_000),
    ];
    for (index, (words, abi, release)) in wrong.into_iter().enumerate() {
        let path = stub(&index.to_string(), abi, release);
        let said = message(&[("GPUTIDE_LIBRARY", path.to_str().unwrap())]);
        assert!(said.contains("no usable libgputide-full.so.1 for ABI 1, release 0.3.0 or newer. Tried:"), "{said}");
        assert!(said.contains(&format!("GPUTIDE_LIBRARY={}   {words}", path.display())), "{said}");
        assert!(said.contains("Install Debian's libgputide-full1, or set GPUTIDE_LIBRARY"), "{said}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn wrong_files_are_named() {
    let said = message(&[("GPUTIDE_LIBRARY", "/proc/self/status")]);
    assert!(said.contains("GPUTIDE_LIBRARY=/proc/self/status   "), "{said}");
    let other = stub("libm", 1, 1); // a library without gputide_api is found out by its release first
    let said = message(&[("GPUTIDE_LIBRARY", other.to_str().unwrap())]);
    assert!(said.contains("too old"), "{said}");
    std::fs::remove_file(other).unwrap();
}

#[test]
fn missing_libraries_are_listed_by_their_place() {
    let said = message(&[("GPUTIDE_LIBRARY", "/nonexistent/libgputide-full.so.1")]);
    assert!(said.contains("GPUTIDE_LIBRARY=/nonexistent/libgputide-full.so.1   there is no such file"), "{said}");
    assert!(!said.contains("the system's search"), "{said}");
    let said = message(&[("GPUTIDE_LIBRARY", ""), ("LD_LIBRARY_PATH", "")]);
    assert!(said.contains("libgputide-full.so.1 (the system's search)   libgputide-full.so.1: cannot open"), "{said}");
}

#[test]
fn load_takes_the_file_that_is_open_already_and_no_other() {
    let done = again("loads", &[]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
#[ignore = "a part of another, in a process of its own"]
fn loads() {
    let error = gputide::load("/nonexistent/libgputide-full.so.1").unwrap_err(); // one that was given is final
    assert_eq!(error.kind(), ErrorKind::Library);
    assert!(!error.to_string().contains("GPUTIDE_LIBRARY="), "{error}");
    let there = gputide::library_path().unwrap();
    gputide::load(&there).unwrap();
    let error = gputide::load("/proc/self/status").unwrap_err();
    assert!(error.to_string().contains("is open already"), "{error}");
}
