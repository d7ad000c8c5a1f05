//! missing: what the build script of gputide-sys says where there is no library to link; and that versions are one.
#![cfg(not(any(feature = "dlopen", feature = "vendored")))]

use gputide_checks::support::folder;
use std::path::PathBuf;
use std::process::Command;

/// Checks what the build script says with this environment; it is compiled here, without Cargo.
fn said(environment: &[(&str, &str)]) -> (bool, String) {
    let program =
        std::env::temp_dir().join(format!("gputide-build-{}-{:?}", std::process::id(), std::thread::current().id()));
    let sys = folder().join("gputide-sys");
    let compiled = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .env("CARGO_PKG_VERSION", env!("CARGO_PKG_VERSION"))
        .env("CARGO_MANIFEST_DIR", &sys)
        .args(["--edition", "2021", "-o"])
        .args([&program, &sys.join("build.rs")])
        .status();
    assert!(compiled.unwrap().success());
    let done = Command::new(&program)
        .env_remove("GPUTIDE_LIB_DIR")
        .env_remove("DOCS_RS")
        .env("CARGO_CFG_TARGET_OS", "linux")
        .env("PKG_CONFIG_LIBDIR", "/nonexistent")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    std::fs::remove_file(&program).unwrap();
    let text = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    (done.status.success(), text.into_owned())
}

#[test]
fn missing_libraries_end_in_the_places_and_the_line_that_mends_it() {
    let (worked, text) = said(&[]);
    assert!(!worked);
    for words in [
        "no libgputide to link. Tried:",
        "GPUTIDE_LIB_DIR   not set",
        "pkg-config 'gputide-full >= 0.3.0'",
        "apt-get install g++",
    ] {
        assert!(text.contains(words), "{text}");
    }
    let (worked, text) = said(&[("PKG_CONFIG", "/nonexistent/pkg-config")]);
    assert!(!worked && text.contains("/nonexistent/pkg-config: No such file"), "{text}");
    let (worked, text) = said(&[("GPUTIDE_LIB_DIR", "/nonexistent")]);
    assert!(
        !worked && text.contains("GPUTIDE_LIB_DIR=/nonexistent has neither libgputide-full.so nor libgputide.a"),
        "{text}"
    );
}

#[test]
fn the_documentation_is_built_without_a_library() {
    assert!(said(&[("DOCS_RS", "1")]).0);
    assert!(said(&[("CARGO_FEATURE_DLOPEN", "1")]).0);
}

#[test]
fn the_version_is_one() {
    let release = gputide::version().unwrap();
    for manifest in ["gputide-sys/Cargo.toml", "gputide/Cargo.toml", "../../tests/bindings/rust/Cargo.toml"] {
        let text = std::fs::read_to_string(folder().join(manifest)).unwrap();
        assert!(text.contains(&format!("\nversion = \"{release}\"\n")), "{manifest}");
    }
    assert!(gputide::features().unwrap().yaml() && gputide::build_info().unwrap().contains("compiler"));
    let path: PathBuf = gputide::library_path().unwrap();
    assert!(path.to_string_lossy().contains("libgputide-full.so"), "{}", path.display());
}
