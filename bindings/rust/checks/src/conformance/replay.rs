//! Section 10 of gputide.h: recorded days.

use super::call::{Answer, Call, Problem, Thing};
use super::{inputs, outputs, values, Run};
use crate::json::Json;
use gputide::{Replay, Scaler, Series};
use std::time::SystemTime;

pub const REPLAY: &[(&str, Run)] = &[
    ("series.new", |call| call.keep(Some(Series::new()?))),
    ("series.add", |call| {
        let values = list(call, "values", values::real)?;
        let times = list(call, "times_ms", values::integer)?;
        on_series(call, |series| series.add(call.integer("metric")?, points(times, values)?).map_err(Into::into))
    }),
    ("series.add_replicas", |call| {
        let replicas = list(call, "replicas", values::integer::<i32>)?;
        let times = list(call, "times_ms", values::integer)?;
        on_series(call, |series| series.add_replicas(points(times, replicas)?).map_err(Into::into))
    }),
    ("series.read", |call| {
        let metric: u32 = call.integer("metric")?;
        let (text, scaler) = (call.text("text")?, call.word("scaler")?);
        let scaler = (!scaler.is_empty()).then_some(scaler.as_str());
        on_series(call, |series| Ok(series.read((metric != u32::MAX).then_some(metric), text, scaler)?))
    }),
    ("series.fetch", |call| {
        let (range, step) = (call.time("from_ms")?..=call.time("to_ms")?, call.duration("step_ms")?);
        let (scaler, metric, wait) = (call.thing::<Scaler>("scaler")?, call.integer("metric")?, call.wait()?);
        on_series(call, |series| Ok(series.fetch(&mut scaler.borrow_mut(), metric, range, step, wait)?))
    }),
    ("series.write", |call| {
        let csv = on_series(call, |series| Ok(series.write()?))?;
        call.put("csv", csv);
        Ok(())
    }),
    ("series.describe", |call| {
        let described = on_series(call, |series| Ok(series.describe()?))?;
        call.put("json", described);
        Ok(())
    }),
    ("replay.open", |call| {
        let settings = call.word("settings")?;
        let settings = (!settings.is_empty()).then_some(settings.as_str());
        call.keep(Replay::open(call.text("manifest")?, &call.options()?, settings)?)
    }),
    ("replay.run", |call| {
        let (replay, series) = (replay(call)?, call.thing::<Option<Series>>("series")?);
        let mut series = series.borrow_mut();
        let sealed = series.take().ok_or_else(sealed_away)?.seal()?;
        let outcome = replay.borrow_mut().run(&sealed, None);
        *series = sealed.unseal().ok();
        Ok(outcome?)
    }),
    ("replay.record", |call| {
        let samples = inputs::samples(call.arguments.get("samples"))?;
        let replicas = if call.has("replicas") { Some(call.integer("replicas")?) } else { None };
        let decision = replay(call)?.borrow_mut().record(call.time("time_ms")?, &samples, replicas)?;
        call.put("decision", outputs::decision(&decision));
        Ok(())
    }),
    ("replay.report", |call| {
        let report = replay(call)?.borrow_mut().report()?;
        call.put("json", report);
        Ok(())
    }),
];

fn replay(call: &Call<'_>) -> Answer<Thing<Replay>> {
    call.thing("replay")
}

fn sealed_away() -> Problem {
    Problem::fault("the series was lost in a run")
}

fn on_series<T>(call: &Call<'_>, act: impl FnOnce(&mut Series) -> Answer<T>) -> Answer<T> {
    let series = call.thing::<Option<Series>>("series")?;
    let mut series = series.borrow_mut();
    act(series.as_mut().ok_or_else(sealed_away)?)
}

fn list<T>(call: &Call<'_>, name: &str, value: fn(&Json) -> Answer<T>) -> Answer<Vec<T>> {
    call.arguments.get(name).items().iter().map(value).collect()
}

/// Two lists that belong together, point by point.
fn points<T>(times_ms: Vec<i64>, values: Vec<T>) -> Answer<impl Iterator<Item = (SystemTime, T)>> {
    if times_ms.len() != values.len() {
        return Err(Problem::fault("times_ms and what belongs to them differ in length"));
    }
    Ok(times_ms.into_iter().map(values::instant).zip(values))
}
