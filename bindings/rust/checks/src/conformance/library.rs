//! Sections 1 and 2 of gputide.h: version and names.

use super::call::{Answer, Call};
use super::Run;
use gputide::{Action, Condition, EventKind, Limit, Reason, SampleState, ScaleEvent, Status};

pub const LIBRARY: &[(&str, Run)] = &[
    ("version", |call| {
        call.put("version", gputide::version()?);
        Ok(())
    }),
    ("version.number", |call| {
        call.put("number", gputide::version_number()?);
        Ok(())
    }),
    ("abi.version", |call| {
        call.put("number", gputide::ABI_VERSION);
        Ok(())
    }),
    ("features", |call| {
        call.put("features", gputide::features()?.bits());
        Ok(())
    }),
    ("build.info", |call| {
        call.put("json", gputide::build_info()?);
        Ok(())
    }),
    ("status.name", |call| name::<Status>(call, "status")),
    ("action.name", |call| name::<Action>(call, "action")),
    ("sample.state_name", |call| name::<SampleState>(call, "state")),
    ("limit.name", |call| name::<Limit>(call, "limit")),
    ("condition.name", |call| name::<Condition>(call, "condition")),
    ("reason.name", |call| name::<Reason>(call, "reason")),
    ("event.name", |call| name::<ScaleEvent>(call, "event")),
    ("event.kind_name", |call| name::<EventKind>(call, "kind")),
];

fn name<T: From<i32> + ToString>(call: &mut Call<'_>, argument: &str) -> Answer {
    let number: i32 = call.integer(argument)?;
    call.put("name", T::from(number).to_string());
    Ok(())
}
