//! Has the call table of the conformance program written.

use std::process::Command;

fn main() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance");
    let file = std::env::var("OUT_DIR").expect("OUT_DIR") + "/calls.rs";
    let done = Command::new("python3").args([table, "rust", &file]).status().expect("python3 is needed");
    assert!(done.success(), "{table} failed");
    println!("cargo:rerun-if-changed={table}");
    println!("cargo:rerun-if-changed=../../../bindings/abi.json");
}
