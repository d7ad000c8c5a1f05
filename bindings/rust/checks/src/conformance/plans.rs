//! Sections 11, 12, 14 and 15 of gputide.h: nodes, forecasts, right-sizing, jobs.

use super::call::{Answer, Call, Thing};
use super::{inputs, outputs, values, Run};
use crate::json::object;
use gputide::{Floor, Forecast, Rightsize};

pub const NODES: &[(&str, Run)] = &[("nodes.plan", |call| {
    let state = call.word("state")?;
    let state = (!state.is_empty()).then_some(state.as_str());
    let plan = gputide::plan_nodes(call.text("text")?, state, call.time("now_ms")?)?;
    let summary = object([
        ("errors", plan.errors.into()),
        ("warnings", plan.warnings.into()),
        ("nodes_to_add", values::out_integer(plan.nodes_to_add)),
        ("nodes_to_remove", values::out_integer(plan.nodes_to_remove)),
        ("pods_pending", values::out_integer(plan.pods_pending)),
        ("pods_on_existing", values::out_integer(plan.pods_on_existing)),
        ("pods_on_new", values::out_integer(plan.pods_on_new)),
        ("pods_left", values::out_integer(plan.pods_left)),
    ]);
    call.put("summary", summary);
    call.put("json", plan.json);
    call.put("state", plan.state);
    Ok(())
})];

pub const FORECAST: &[(&str, Run)] = &[
    ("forecast.open", |call| {
        let settings = call.word("settings")?;
        call.keep(Forecast::open((!settings.is_empty()).then_some(settings.as_str()))?)
    }),
    ("forecast.step", |call| {
        forecast(call)?.borrow_mut().step(call.time("now_ms")?, values::real(call.arguments.get("load"))?)?;
        Ok(())
    }),
    ("forecast.ask", |call| {
        let target = values::real(call.arguments.get("target"))?;
        let (reactive, current) = (call.integer("reactive_replicas")?, call.integer("current_replicas")?);
        let floor = forecast(call)?.borrow().ask(target, reactive, current, call.integer("max_replicas")?)?;
        call.put("floor", outputs::floor(&floor));
        if call.has("as") {
            call.keep(floor)?;
        }
        Ok(())
    }),
    ("forecast.book", |call| {
        let written = match call.has("floor") {
            true => call.thing::<Floor>("floor")?.borrow().replicas,
            false => call.integer("written_replicas")?,
        };
        forecast(call)?.borrow_mut().book(written, call.integer("shadow_replicas")?)?;
        Ok(())
    }),
    ("forecast.describe", |call| {
        let described = forecast(call)?.borrow().describe()?;
        call.put("json", described);
        Ok(())
    }),
    ("forecast.save", |call| {
        let saved = forecast(call)?.borrow().save()?;
        call.put("text", saved);
        Ok(())
    }),
    ("forecast.load", |call| {
        forecast(call)?.borrow_mut().load(call.text("text")?)?;
        Ok(())
    }),
];

fn forecast(call: &Call<'_>) -> Answer<Thing<Forecast>> {
    call.thing("forecast")
}

pub const RIGHTSIZE: &[(&str, Run)] = &[
    ("rightsize.open", |call| call.keep(Rightsize::open_with(call.text("settings")?, &call.options()?)?)),
    ("rightsize.describe", |call| {
        let described = rightsize(call)?.borrow().describe()?;
        call.put("json", described);
        Ok(())
    }),
    ("rightsize.container", |call| {
        let number = rightsize(call)?.borrow_mut().container(&call.word("name")?)?;
        call.put("number", number);
        Ok(())
    }),
    ("rightsize.add", |call| {
        let taken = rightsize(call)?.borrow_mut().add(&inputs::usage(call.arguments.get("samples"))?)?;
        call.put("taken", taken);
        Ok(())
    }),
    ("rightsize.recommend", |call| {
        let recommended = rightsize(call)?.borrow().recommend(call.integer("container")?, call.time("now_ms")?)?;
        call.put("json", recommended);
        Ok(())
    }),
    ("rightsize.fit", |call| {
        let util_percent = values::real(call.arguments.get("util_percent"))?;
        let fits = rightsize(call)?.borrow().fit(call.integer("memory_bytes")?, util_percent)?;
        call.put("json", fits);
        Ok(())
    }),
    ("rightsize.save", |call| {
        let saved = rightsize(call)?.borrow().save(call.integer("container")?, call.time("now_ms")?)?;
        call.put("text", saved);
        Ok(())
    }),
    ("rightsize.load", |call| {
        rightsize(call)?.borrow_mut().load(call.integer("container")?, call.text("text")?)?;
        Ok(())
    }),
];

fn rightsize(call: &Call<'_>) -> Answer<Thing<Rightsize>> {
    call.thing("rightsize")
}

pub const JOBS: &[(&str, Run)] = &[("jobs.decide", |call| {
    let decision = gputide::decide_jobs(call.text("text")?, call.text("seen")?, &call.options()?)?;
    call.put("decision", decision);
    Ok(())
})];
