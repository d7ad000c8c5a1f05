//! gputide-conformance: protocol 1 of docs/conformance.md over this crate's public functions.  One line in, one line out, until
//! the input ends.  build.rs has the table written by tests/bindings/conformance.
#![allow(clippy::let_unit_value)] // calls.rs is generated: a call without a result returns ()

mod call;
mod values;

use call::{Answer, Call, Problem, Recorded, Things};
use gputide::{Credential, Forecast, Policy, Replay, Rightsize, Runtime, Scaler, Series, Source, State};
use gputide_checks::json::{object, Json};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use values::{integer, real, AllConditions, Out};

type Run = fn(&mut Call<'_>) -> Answer;

include!(concat!(env!("OUT_DIR"), "/calls.rs"));

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calls: BTreeMap<_, _> = CALLS.iter().copied().collect();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", hello(&calls)?)?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&calls, &Json::parse(&line?)?))?;
        out.flush()?;
    }
    Ok(())
}

/// The program's first line.
fn hello(calls: &BTreeMap<&str, Run>) -> gputide::Result<Json> {
    Ok(object([
        ("protocol", 1.into()),
        ("binding", "rust".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("abi", gputide::ABI_VERSION.into()),
        ("library", gputide::library_path()?.to_string_lossy().as_ref().into()),
        ("calls", calls.keys().map(|&name| Json::from(name)).collect()),
    ]))
}

/// Answers a line.
fn answer(calls: &BTreeMap<&str, Run>, line: &Json) -> Json {
    let things = Things::default();
    let (mut results, mut fault) = (Vec::new(), Json::Null);
    for arguments in line.get("calls").items() {
        let run = arguments.get("call").text().and_then(|name| calls.get(name));
        let mut call = Call::new(arguments, &things);
        match run.map_or_else(|| Err(Problem::fault("an unknown call")), |run| run(&mut call)) {
            Ok(()) => {}
            Err(Problem::Failed(error)) => {
                if let Some(sample) = error.sample() {
                    call.put("sample", sample.out()); // a failed read gives its sample beside the error
                }
                call.put("error", error.out());
            }
            Err(Problem::Refused(message)) => {
                call.put("error", values::error_of(gputide::Status::INVALID, &message));
            }
            Err(Problem::Missing(name)) => call.put("missing", name),
            Err(Problem::Fault(why)) => {
                fault = format!("{:.200}: {why}", arguments.to_string()).into();
                break;
            }
        }
        results.push(call.result());
    }
    things.close(line.get("close").text().unwrap_or("reverse"));
    let mut out = vec![
        ("case".to_owned(), line.get("case").clone()),
        ("results".to_owned(), Json::List(results)),
        ("alive".to_owned(), Json::Number(gputide::alive().to_string())),
    ];
    if !fault.is_null() {
        out.push(("fault".to_owned(), fault));
    }
    Json::Object(out)
}
