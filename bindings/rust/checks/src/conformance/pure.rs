//! Sections 1, 2, 5, 6 and 7 of gputide.h: version and names, one metric, policy, state, decide.

use super::call::{Answer, Call, Thing};
use super::{values, Run};
use crate::json::Json;
use gputide::{
    Action, Condition, Decision, EventKind, Limit, Policy, Reason, Sample, SampleState, Samples, ScaleEvent, Source,
    State, Status,
};

pub const LIBRARY: &[(&str, Run)] = &[
    ("version", |one| {
        one.put("version", gputide::version()?);
        Ok(())
    }),
    ("version.number", |one| {
        one.put("number", gputide::version_number()?);
        Ok(())
    }),
    ("abi.version", |one| {
        one.put("number", gputide::ABI_VERSION);
        Ok(())
    }),
    ("features", |one| {
        one.put("features", gputide::features()?.bits());
        Ok(())
    }),
    ("build.info", |one| {
        one.put("json", gputide::build_info()?);
        Ok(())
    }),
    ("status.name", |one| name::<Status>(one, "status")),
    ("action.name", |one| name::<Action>(one, "action")),
    ("sample.state_name", |one| name::<SampleState>(one, "state")),
    ("limit.name", |one| name::<Limit>(one, "limit")),
    ("condition.name", |one| name::<Condition>(one, "condition")),
    ("reason.name", |one| name::<Reason>(one, "reason")),
    ("event.name", |one| name::<ScaleEvent>(one, "event")),
    ("event.kind_name", |one| name::<EventKind>(one, "kind")),
];

fn name<T: From<i32> + ToString>(one: &mut Call<'_>, argument: &str) -> Answer {
    let number: i32 = one.integer(argument)?;
    one.put("name", T::from(number).to_string());
    Ok(())
}

pub const SOURCE: &[(&str, Run)] = &[
    ("source.open", |one| one.keep(Source::open_with(one.text("text")?, &one.options()?)?)),
    ("source.fetch", |one| {
        let (time, wait) = (one.time("now_ms")?, one.wait()?);
        read(one, |source| source.fetch(time, wait))
    }),
    ("source.fetch_all", |one| {
        let samples = source(one)?.borrow_mut().fetch_all(one.time("now_ms")?, one.wait()?)?;
        one.keep(samples)
    }),
    ("source.parse", |one| {
        let (http_status, body) = (one.integer("http_status")?, one.text("body")?);
        read(one, |source| source.parse(http_status, body))
    }),
    ("source.parse_all", |one| {
        let (http_status, headers, body) = (one.integer("http_status")?, one.text("headers")?, one.text("body")?);
        let samples = source(one)?.borrow().parse_all(http_status, headers, body)?;
        one.keep(samples)
    }),
    ("source.request", |one| {
        let request = source(one)?.borrow().request(one.time("now_ms")?)?;
        one.put("json", request);
        Ok(())
    }),
    ("source.describe", |one| {
        let described = source(one)?.borrow().describe()?;
        one.put("json", described);
        Ok(())
    }),
    ("samples.count", |one| {
        let count = samples(one)?.borrow().len();
        one.put("count", count);
        Ok(())
    }),
    ("samples.get", |one| {
        let sample = samples(one)?.borrow().get(one.integer("index")?)?;
        one.put("sample", values::sample(&sample));
        Ok(())
    }),
    ("samples.labels", |one| {
        let labels = samples(one)?.borrow().labels(one.integer("index")?);
        one.put("labels", labels);
        Ok(())
    }),
    ("samples.describe", |one| {
        let described = samples(one)?.borrow().describe()?;
        one.put("json", described);
        Ok(())
    }),
    ("quantity", |one| {
        let milli = gputide::quantity(one.text("text")?)?;
        one.put("milli", values::out_integer(milli));
        Ok(())
    }),
];

fn source(one: &Call<'_>) -> Answer<Thing<Source>> {
    one.thing("source")
}

fn samples(one: &Call<'_>) -> Answer<Thing<Samples>> {
    one.thing("samples")
}

/// A failed read gives its sample beside the error.
fn read(one: &mut Call<'_>, read: impl FnOnce(&mut Source) -> gputide::Result<Sample>) -> Answer {
    let done = read(&mut source(one)?.borrow_mut());
    if let Some(sample) = done.as_ref().map_or_else(gputide::Error::sample, Some) {
        one.put("sample", values::sample(sample));
    }
    done.map(drop).map_err(Into::into)
}

pub const POLICY: &[(&str, Run)] = &[
    ("policy.open", |one| one.keep(Policy::parse_with(one.text("text")?, &one.options()?)?)),
    ("policy.metric_count", |one| {
        let count = one.policy()?.metrics().len() as u32;
        one.put("count", count);
        Ok(())
    }),
    ("policy.metric_name", |one| {
        let index: usize = one.integer("index")?;
        let name = one.policy()?.metrics().get(index).cloned();
        one.put("name", name);
        Ok(())
    }),
    ("policy.describe", |one| {
        let described = one.policy()?.describe()?;
        one.put("json", described);
        Ok(())
    }),
    ("state.new", |one| {
        let policy = one.policy()?;
        one.keep(match one.integer("created_ms")? {
            0 => policy.new_state()?,
            created => policy.new_state_created(values::instant(created))?,
        })
    }),
    ("state.clone", |one| {
        let copy = state(one)?.borrow().try_clone()?;
        one.keep(copy)
    }),
    ("state.save", |one| {
        let saved = state(one)?.borrow().save()?;
        one.put("text", saved);
        Ok(())
    }),
    ("state.describe", |one| {
        let described = state(one)?.borrow().describe()?;
        one.put("json", described);
        Ok(())
    }),
    ("state.load", |one| {
        let (policy, text) = (one.policy()?, one.text("text")?);
        let unchecked = one.integer::<u32>("flags")? != 0;
        one.keep(if unchecked { policy.load_state_unchecked(text)? } else { policy.load_state(text)? })
    }),
    ("state.record", |one| {
        let (state, decision) = (state(one)?, one.thing::<Decision>("decision")?);
        let mut decision = decision.borrow_mut();
        state.borrow_mut().record(&mut decision, one.applied()?, one.time("now_ms")?)?;
        one.put("decision", values::decision(&decision));
        Ok(())
    }),
    ("decide", |one| {
        let (state, seen) = (state(one)?, one.seen()?);
        let decision = state.borrow_mut().set_reports(one.flag("report")).decide(&seen)?;
        one.decided(decision)
    }),
    ("decide.values", |one| {
        let numbers = one.arguments.get("values").items().iter().map(values::real).collect::<Answer<Vec<_>>>()?;
        let (time, current) = (one.time("now_ms")?, one.integer("current_replicas")?);
        let decision = state(one)?.borrow_mut().decide_values(time, current, &numbers)?;
        one.decided(decision)
    }),
    ("trace.render", |one| {
        let lines = gputide::render(one.text("report")?)?;
        one.put("lines", lines);
        Ok(())
    }),
];

fn state(one: &Call<'_>) -> Answer<Thing<State>> {
    one.thing("state")
}

/// An index's name, null beyond the last.
pub fn metric_name(metrics: &[String], index: usize) -> Json {
    metrics.get(index).cloned().into()
}
