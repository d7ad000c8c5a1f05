//! Has the call table of the conformance program and the layout test written.

use std::process::Command;

fn main() {
    let writer = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance");
    let folder = std::env::var("OUT_DIR").expect("OUT_DIR");
    for (kind, file) in [("rust", "calls.rs"), ("rust_layout", "layout.rs")] {
        let done = Command::new("python3").args([writer, kind, &format!("{folder}/{file}")]).status();
        assert!(done.expect("python3 is needed").success(), "{writer} failed");
    }
    println!("cargo:rerun-if-changed={writer}");
    println!("cargo:rerun-if-changed=../../../bindings/abi.json");
}
