//! Finds libgputide, or builds it: GPUTIDE_LIB_DIR, then the feature `vendored`, then pkg-config.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const PACKAGES: &str = "apt-get install g++ cmake ninja-build pkg-config libcurl4-openssl-dev libssl-dev libyaml-dev \
                        libcctz-dev libnghttp2-dev libabsl-dev tzdata zlib1g-dev dpkg-dev";

fn main() -> ExitCode {
    println!("cargo:rerun-if-env-changed=GPUTIDE_LIB_DIR");
    println!("cargo:rerun-if-env-changed=DOCS_RS");
    match link() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("gputide-sys: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

fn link() -> Result<(), String> {
    let linux = env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|system| system == "linux");
    if env::var_os("DOCS_RS").is_some() || feature("DLOPEN") || !linux {
        return Ok(());
    }
    if let Some(folder) = env::var_os("GPUTIDE_LIB_DIR") {
        return link_from(Path::new(&folder));
    }
    if feature("VENDORED") {
        return vendored();
    }
    pkg_config()
}

fn link_from(folder: &Path) -> Result<(), String> {
    if folder.join("libgputide-full.so").exists() {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=dylib=gputide-full");
        return Ok(());
    }
    if folder.join("libgputide.a").exists() {
        link_archive(folder);
        return Ok(());
    }
    Err(format!(
        "GPUTIDE_LIB_DIR={} has neither libgputide-full.so nor libgputide.a; name the folder of a build (build/release) or of \
         an installation (/usr/local/lib)",
        folder.display()
    ))
}

fn pkg_config() -> Result<(), String> {
    let asked = format!("gputide-full >= {}", env!("CARGO_PKG_VERSION"));
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let done = Command::new(&program).args(["--libs-only-L", "--libs-only-l", &asked]).output();
    let why = match done {
        Ok(done) if done.status.success() => return link_as_said(&String::from_utf8_lossy(&done.stdout)),
        Ok(done) => String::from_utf8_lossy(&done.stderr).trim().to_owned(),
        Err(problem) => format!("{}: {problem}", Path::new(&program).display()),
    };
    Err(format!(
        "no libgputide to link. Tried:\n  GPUTIDE_LIB_DIR   not set\n  pkg-config '{asked}'   {}\n\
         Install Debian's libgputide-dev, set GPUTIDE_LIB_DIR to the library's folder or PKG_CONFIG_PATH to that of \
         gputide-full.pc, or take the feature vendored, which builds the library:\n  {PACKAGES}\n\
         or the feature dlopen, which opens libgputide-full.so.1 at run time.",
        why.replace('\n', "\n      ")
    ))
}

fn link_as_said(words: &str) -> Result<(), String> {
    for word in words.split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={library}");
        }
    }
    Ok(())
}

/// The self-contained library as an archive with nothing but `gputide_*` in it: it goes into the program whole, as an
/// rpath would not reach it and a shared library in this build's folder would not be found after deployment.
fn vendored() -> Result<(), String> {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    if !tree.join("include/gputide/gputide.h").exists() {
        return Err(
            "the feature vendored builds the library from gputide's source tree, and this crate does not lie in \
                    one; use it by its path there, or link an installed library"
                .to_owned(),
        );
    }
    for part in ["src", "include", "cmake", "CMakeLists.txt"] {
        println!("cargo:rerun-if-changed={}", tree.join(part).display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?).join("library");
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "2".to_owned());
    run(Command::new("cmake").arg("-S").arg(&tree).arg("-B").arg(&out).args([
        "-G",
        "Ninja",
        "-Wno-dev",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DGPUTIDE_SELF_CONTAINED=ON",
    ]))?;
    run(Command::new("cmake").arg("--build").arg(&out).args(["--target", "gputide_static", "-j", &jobs]))?;
    link_archive(&out);
    Ok(())
}

/// The self-contained archive, and what it leaves to the program: the unwinder and the C library.
fn link_archive(folder: &Path) {
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=gputide");
    for library in ["gcc_s", "m", "c"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = format!("{command:?}");
    let done =
        command.output().map_err(|problem| format!("{name}: {problem}\nInstall what it needs:\n  {PACKAGES}"))?;
    if done.status.success() {
        return Ok(());
    }
    let (said, complained) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    Err(format!("{name} failed:\n{said}{complained}\nIt needs:\n  {PACKAGES}"))
}
