//! Protocol 1: a line's calls one after another, what they opened, and the answer.

mod call;
mod inputs;
mod library;
mod outputs;
mod plans;
mod policy;
mod replay;
mod runtime;
mod scaler;
mod source;
mod values;

use crate::json::{object, Json};
use call::{Call, Problem, Things};
use std::collections::BTreeMap;

type Run = fn(&mut Call<'_>) -> Result<(), Problem>;

/// Each call under its C function's name without `gputide_`, the first underscore a dot.
fn calls() -> BTreeMap<&'static str, Run> {
    let tables = [
        library::LIBRARY,
        source::CREDENTIAL,
        source::SOURCE,
        policy::POLICY,
        scaler::SCALER,
        runtime::RUNTIME,
        replay::REPLAY,
        plans::NODES,
        plans::FORECAST,
        plans::RIGHTSIZE,
        plans::JOBS,
    ];
    tables.into_iter().flatten().copied().collect()
}

/// The program's first line.
pub fn hello() -> gputide::Result<Json> {
    Ok(object([
        ("door", 1.into()),
        ("binding", "rust".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("abi", gputide::ABI_VERSION.into()),
        ("library", gputide::library_path()?.to_string_lossy().as_ref().into()),
        ("calls", calls().keys().map(|&name| Json::from(name)).collect()),
    ]))
}

/// What a line comes to.
pub fn answer(line: &Json) -> Result<Json, String> {
    let (calls, things) = (calls(), Things::default());
    let (mut results, mut fault) = (Vec::new(), Json::Null);
    for arguments in line.get("calls").items() {
        let run = arguments.get("call").text().and_then(|name| calls.get(name));
        let mut call = Call::new(arguments, &things);
        match run.map_or_else(|| Err(Problem::fault("an unknown call")), |run| run(&mut call)) {
            Ok(()) => {}
            Err(Problem::Failed(error)) => call.put("error", outputs::error(&error)),
            Err(Problem::Refused(message)) => {
                call.put("error", outputs::error_of(gputide::Status::INVALID, &message));
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
    Ok(Json::Object(out))
}
