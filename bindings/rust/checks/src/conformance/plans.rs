//! Sections 11, 12, 14 and 15 of gputide.h: nodes, forecasts, right-sizing, jobs.

use super::call::{Answer, Call, Thing};
use super::{values, Run};
use crate::json::object;
use gputide::{Floor, Forecast, Rightsize};

pub const NODES: &[(&str, Run)] = &[("nodes.plan", |one| {
    let state = one.word("state")?;
    let state = (!state.is_empty()).then_some(state.as_str());
    let plan = gputide::plan_nodes(one.text("text")?, state, one.time("now_ms")?)?;
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
    one.put("summary", summary);
    one.put("json", plan.json);
    one.put("state", plan.state);
    Ok(())
})];

pub const FORECAST: &[(&str, Run)] = &[
    ("forecast.open", |one| {
        let settings = one.word("settings")?;
        one.keep(Forecast::open((!settings.is_empty()).then_some(settings.as_str()))?)
    }),
    ("forecast.step", |one| {
        let done = forecast(one)?.borrow_mut().step(one.time("now_ms")?, values::real(one.arguments.get("load"))?);
        Ok(done?)
    }),
    ("forecast.ask", |one| {
        let target = values::real(one.arguments.get("target"))?;
        let (reactive, current) = (one.integer("reactive_replicas")?, one.integer("current_replicas")?);
        let floor = forecast(one)?.borrow().ask(target, reactive, current, one.integer("max_replicas")?)?;
        one.put("floor", values::floor(&floor));
        if one.has("as") {
            one.keep(floor)?;
        }
        Ok(())
    }),
    ("forecast.book", |one| {
        let written = match one.has("floor") {
            true => one.thing::<Floor>("floor")?.borrow().replicas,
            false => one.integer("written_replicas")?,
        };
        let done = forecast(one)?.borrow_mut().book(written, one.integer("shadow_replicas")?);
        Ok(done?)
    }),
    ("forecast.describe", |one| {
        let described = forecast(one)?.borrow().describe()?;
        one.put("json", described);
        Ok(())
    }),
    ("forecast.save", |one| {
        let saved = forecast(one)?.borrow().save()?;
        one.put("text", saved);
        Ok(())
    }),
    ("forecast.load", |one| {
        let done = forecast(one)?.borrow_mut().load(one.text("text")?);
        Ok(done?)
    }),
];

fn forecast(one: &Call<'_>) -> Answer<Thing<Forecast>> {
    one.thing("forecast")
}

pub const RIGHTSIZE: &[(&str, Run)] = &[
    ("rightsize.open", |one| one.keep(Rightsize::open_with(one.text("settings")?, &one.options()?)?)),
    ("rightsize.describe", |one| {
        let described = rightsize(one)?.borrow().describe()?;
        one.put("json", described);
        Ok(())
    }),
    ("rightsize.container", |one| {
        let number = rightsize(one)?.borrow_mut().container(&one.word("name")?)?;
        one.put("number", number);
        Ok(())
    }),
    ("rightsize.add", |one| {
        let taken = rightsize(one)?.borrow_mut().add(&values::usage(one.arguments.get("samples"))?)?;
        one.put("taken", taken);
        Ok(())
    }),
    ("rightsize.recommend", |one| {
        let recommended = rightsize(one)?.borrow().recommend(one.integer("container")?, one.time("now_ms")?)?;
        one.put("json", recommended);
        Ok(())
    }),
    ("rightsize.fit", |one| {
        let util_percent = values::real(one.arguments.get("util_percent"))?;
        let fits = rightsize(one)?.borrow().fit(one.integer("memory_bytes")?, util_percent)?;
        one.put("json", fits);
        Ok(())
    }),
    ("rightsize.save", |one| {
        let saved = rightsize(one)?.borrow().save(one.integer("container")?, one.time("now_ms")?)?;
        one.put("text", saved);
        Ok(())
    }),
    ("rightsize.load", |one| {
        let done = rightsize(one)?.borrow_mut().load(one.integer("container")?, one.text("text")?);
        Ok(done?)
    }),
];

fn rightsize(one: &Call<'_>) -> Answer<Thing<Rightsize>> {
    one.thing("rightsize")
}

pub const JOBS: &[(&str, Run)] = &[("jobs.decide", |one| {
    let decision = gputide::decide_jobs(one.text("text")?, one.text("seen")?, &one.options()?)?;
    one.put("decision", decision);
    Ok(())
})];
