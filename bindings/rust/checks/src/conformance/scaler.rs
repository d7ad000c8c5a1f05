//! Section 8 of gputide.h: a manifest as a whole.

use super::call::{Answer, Call, Thing};
use super::policy::metric_name;
use super::{outputs, Run};
use crate::json::Json;
use gputide::{Decision, Scaler};

pub const SCALER: &[(&str, Run)] = &[
    ("manifest.check", |call| {
        let findings = gputide::check_manifest(call.text("manifest")?, &call.options()?)?;
        if !findings.report.is_empty() {
            call.put("report", findings.report);
            call.put("lines", findings.lines);
        }
        findings.error.map_or(Ok(()), |error| Err(error.into()))
    }),
    ("scaler.open", |call| call.keep(Scaler::open_with(call.text("manifest")?, &call.options()?)?)),
    ("scaler.tick", |call| {
        let (scaler, seen, wait) = (scaler(call)?, call.seen()?, call.wait()?);
        let decision = scaler.borrow_mut().set_reports(call.flag("report")).tick(&seen, wait)?;
        call.decided(decision)
    }),
    ("scaler.fetch", |call| {
        let samples = scaler(call)?.borrow_mut().fetch(call.time("now_ms")?, call.wait()?)?;
        call.put("samples", samples.iter().map(outputs::sample).collect::<Json>());
        Ok(())
    }),
    ("scaler.decide", |call| {
        let (scaler, seen) = (scaler(call)?, call.seen()?);
        let decision = scaler.borrow_mut().set_reports(call.flag("report")).decide(&seen)?;
        call.decided(decision)
    }),
    ("scaler.record", |call| {
        let (scaler, decision) = (scaler(call)?, call.thing::<Decision>("decision")?);
        let mut decision = decision.borrow_mut();
        call.explain(&mut decision)?;
        scaler.borrow_mut().record_at(&mut decision, call.applied()?, call.time("now_ms")?)?;
        call.put("decision", outputs::decision(&decision));
        Ok(())
    }),
    ("scaler.metric_count", |call| {
        let count = scaler(call)?.borrow().metrics().len() as u32;
        call.put("count", count);
        Ok(())
    }),
    ("scaler.metric_name", |call| {
        let name = metric_name(scaler(call)?.borrow().metrics(), call.integer("index")?);
        call.put("name", name);
        Ok(())
    }),
    ("scaler.conditions", |call| scaler_text(call, "json", Scaler::conditions)),
    ("scaler.metrics", |call| scaler_text(call, "json", Scaler::last_metrics)),
    ("scaler.describe", |call| scaler_text(call, "json", Scaler::describe)),
    ("scaler.save", |call| scaler_text(call, "text", Scaler::save)),
    ("scaler.load", |call| {
        scaler(call)?.borrow_mut().load(call.text("text")?)?;
        Ok(())
    }),
    ("doctor", |call| {
        let seen = if call.has("seen") { Some(call.seen()?) } else { None };
        let diagnosis = gputide::doctor(call.text("manifest")?, &call.options()?, seen.as_ref(), call.wait()?)?;
        call.put("report", diagnosis.report);
        call.put("lines", diagnosis.lines);
        Ok(())
    }),
];

fn scaler(call: &Call<'_>) -> Answer<Thing<Scaler>> {
    call.thing("scaler")
}

fn scaler_text(call: &mut Call<'_>, member: &str, text: fn(&Scaler) -> gputide::Result<String>) -> Answer {
    let text = text(&scaler(call)?.borrow())?;
    call.put(member, text);
    Ok(())
}
