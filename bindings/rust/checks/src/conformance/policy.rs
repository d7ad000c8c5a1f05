//! Sections 6 and 7 of gputide.h: policy and state, decide.

use super::call::{Answer, Call, Thing};
use super::{outputs, values, Run};
use crate::json::Json;
use gputide::{Decision, Policy, State};

pub const POLICY: &[(&str, Run)] = &[
    ("policy.open", |call| call.keep(Policy::parse_with(call.text("text")?, &call.options()?)?)),
    ("policy.metric_count", |call| {
        let count = call.policy()?.metrics().len() as u32;
        call.put("count", count);
        Ok(())
    }),
    ("policy.metric_name", |call| {
        let name = metric_name(call.policy()?.metrics(), call.integer("index")?);
        call.put("name", name);
        Ok(())
    }),
    ("policy.describe", |call| {
        let described = call.policy()?.describe()?;
        call.put("json", described);
        Ok(())
    }),
    ("state.new", |call| {
        let policy = call.policy()?;
        call.keep(match call.integer("created_ms")? {
            0 => policy.new_state()?,
            created => policy.new_state_created(values::instant(created))?,
        })
    }),
    ("state.clone", |call| {
        let copy = state(call)?.borrow().try_clone()?;
        call.keep(copy)
    }),
    ("state.save", |call| {
        let saved = state(call)?.borrow().save()?;
        call.put("text", saved);
        Ok(())
    }),
    ("state.describe", |call| {
        let described = state(call)?.borrow().describe()?;
        call.put("json", described);
        Ok(())
    }),
    ("state.load", |call| {
        let (policy, text) = (call.policy()?, call.text("text")?);
        let unchecked = call.integer::<u32>("flags")? != 0;
        call.keep(if unchecked { policy.load_state_unchecked(text)? } else { policy.load_state(text)? })
    }),
    ("state.record", |call| {
        let (state, decision) = (state(call)?, call.thing::<Decision>("decision")?);
        let mut decision = decision.borrow_mut();
        call.explain(&mut decision)?;
        state.borrow_mut().record(&mut decision, call.applied()?, call.time("now_ms")?)?;
        call.put("decision", outputs::decision(&decision));
        Ok(())
    }),
    ("decide", |call| {
        let (state, seen) = (state(call)?, call.seen()?);
        let decision = state.borrow_mut().set_reports(call.flag("report")).decide(&seen)?;
        call.decided(decision)
    }),
    ("decide.values", |call| {
        let numbers = call.arguments.get("values").items().iter().map(values::real).collect::<Answer<Vec<_>>>()?;
        let (time, current) = (call.time("now_ms")?, call.integer("current_replicas")?);
        let decision = state(call)?.borrow_mut().decide_values(time, current, &numbers)?;
        call.decided(decision)
    }),
    ("trace.render", |call| {
        let lines = gputide::render(call.text("report")?)?;
        call.put("lines", lines);
        Ok(())
    }),
];

fn state(call: &Call<'_>) -> Answer<Thing<State>> {
    call.thing("state")
}

/// An index's name, null beyond the last.
pub fn metric_name(metrics: &[String], index: usize) -> Json {
    metrics.get(index).cloned().into()
}
