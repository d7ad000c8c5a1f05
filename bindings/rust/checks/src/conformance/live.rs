//! Sections 4, 8, 9 and 10 of gputide.h: credentials, scalers, runtimes, replays.

use super::call::{Answer, Call, Thing};
use super::pure::metric_name;
use super::{values, Run};
use crate::json::{object, Json};
use gputide::{Credential, Decision, Options, Replay, Runtime, Scaler, ScalerId, Series, Status};
use std::os::fd::AsRawFd;

pub const CREDENTIAL: &[(&str, Run)] = &[
    ("credential.open", |one| one.keep(Credential::open_with(one.text("text")?, &one.options()?)?)),
    ("credential.token", |one| {
        let credential = one.thing::<Credential>("credential")?;
        let token = credential.borrow().token(&one.word("scope")?, one.wait()?)?;
        one.put("token", token.value());
        let info = object([
            ("expires_at_ms", values::out_time(token.expires())),
            ("refresh_at_ms", values::out_time(token.refresh())),
            ("usable_until_ms", values::out_time(token.usable_until())),
        ]);
        one.put("info", info);
        Ok(())
    }),
    ("credential.invalidate", |one| {
        let credential = one.thing::<Credential>("credential")?;
        let done = credential.borrow().invalidate(&one.word("scope")?, one.text("token")?);
        Ok(done?)
    }),
    ("token.claims", |one| {
        let claims = gputide::token_claims(one.text("token")?)?;
        one.put("json", claims);
        Ok(())
    }),
];

pub const SCALER: &[(&str, Run)] = &[
    ("manifest.check", |one| {
        let found = gputide::check_manifest(one.text("manifest")?, &one.options()?)?;
        if !found.report.is_empty() {
            one.put("report", found.report);
            one.put("lines", found.lines);
        }
        found.error.map_or(Ok(()), |error| Err(error.into()))
    }),
    ("scaler.open", |one| one.keep(Scaler::open_with(one.text("manifest")?, &one.options()?)?)),
    ("scaler.tick", |one| {
        let (scaler, seen, wait) = (scaler(one)?, one.seen()?, one.wait()?);
        let decision = scaler.borrow_mut().set_reports(one.flag("report")).tick(&seen, wait)?;
        one.decided(decision)
    }),
    ("scaler.fetch", |one| {
        let samples = scaler(one)?.borrow_mut().fetch(one.time("now_ms")?, one.wait()?)?;
        one.put("samples", samples.iter().map(values::sample).collect::<Json>());
        Ok(())
    }),
    ("scaler.decide", |one| {
        let (scaler, seen) = (scaler(one)?, one.seen()?);
        let decision = scaler.borrow_mut().set_reports(one.flag("report")).decide(&seen)?;
        one.decided(decision)
    }),
    ("scaler.record", |one| {
        let (scaler, decision) = (scaler(one)?, one.thing::<Decision>("decision")?);
        let mut decision = decision.borrow_mut();
        scaler.borrow_mut().record_at(&mut decision, one.applied()?, one.time("now_ms")?)?;
        one.put("decision", values::decision(&decision));
        Ok(())
    }),
    ("scaler.metric_count", |one| {
        let count = scaler(one)?.borrow().metrics().len() as u32;
        one.put("count", count);
        Ok(())
    }),
    ("scaler.metric_name", |one| {
        let name = metric_name(scaler(one)?.borrow().metrics(), one.integer("index")?);
        one.put("name", name);
        Ok(())
    }),
    ("scaler.conditions", |one| scaler_text(one, "json", Scaler::conditions)),
    ("scaler.metrics", |one| scaler_text(one, "json", Scaler::last_metrics)),
    ("scaler.describe", |one| scaler_text(one, "json", Scaler::describe)),
    ("scaler.save", |one| scaler_text(one, "text", Scaler::save)),
    ("scaler.load", |one| {
        let done = scaler(one)?.borrow_mut().load(one.text("text")?);
        Ok(done?)
    }),
    ("doctor", |one| {
        let seen = if one.has("seen") { Some(one.seen()?) } else { None };
        let found = gputide::doctor(one.text("manifest")?, &one.options()?, seen.as_ref(), one.wait()?)?;
        one.put("report", found.report);
        one.put("lines", found.lines);
        Ok(())
    }),
];

fn scaler(one: &Call<'_>) -> Answer<Thing<Scaler>> {
    one.thing("scaler")
}

fn scaler_text(one: &mut Call<'_>, member: &str, text: fn(&Scaler) -> gputide::Result<String>) -> Answer {
    let text = text(&scaler(one)?.borrow())?;
    one.put(member, text);
    Ok(())
}

pub const RUNTIME: &[(&str, Run)] = &[
    ("runtime.new", |one| one.keep(Runtime::with_options(&values::runtime_options(one.arguments.get("options"))?)?)),
    ("runtime.add", |one| {
        let (manifest, options, tag) = (one.text("manifest")?, one.options()?, one.integer("tag")?);
        let id = runtime(one)?.borrow().add_with(manifest, &options, tag)?;
        put_id(one, id)
    }),
    ("runtime.replace", |one| {
        let tag = if one.has("tag") { Some(one.integer("tag")?) } else { None };
        let (manifest, options): (_, Options) = (one.text("manifest")?, one.options()?);
        let done = runtime(one)?.borrow().replace(id(one)?, manifest, &options, tag);
        Ok(done?)
    }),
    ("runtime.remove", |one| {
        let done = runtime(one)?.borrow().remove(id(one)?);
        Ok(done?)
    }),
    ("runtime.find", |one| {
        let id = runtime(one)?.borrow().find(&one.word("name")?)?;
        put_id(one, id)
    }),
    ("runtime.next_scaler", |one| {
        let after = one.integer::<u64>("after_id")?;
        let id = runtime(one)?.borrow().next_scaler((after != 0).then(|| after.into()))?;
        put_id(one, id)
    }),
    ("runtime.observe", |one| {
        let done = runtime(one)?.borrow().observe(id(one)?, &one.seen()?);
        Ok(done?)
    }),
    ("runtime.push", |one| {
        let samples = values::samples(one.arguments.get("samples"))?;
        let done = runtime(one)?.borrow().push(id(one)?, &samples);
        Ok(done?)
    }),
    ("runtime.next_event", |one| {
        let taken = runtime(one)?.borrow().next_event(one.wait()?)?;
        let Some(event) = taken else {
            one.put("error", values::error_of(Status::NO_DATA, "no event came in time"));
            return Ok(());
        };
        one.put("event", values::event(&event));
        one.decided(event.decision().clone())
    }),
    ("runtime.record", |one| {
        let (runtime, decision) = (runtime(one)?, one.thing::<Decision>("decision")?);
        let mut decision = decision.borrow_mut();
        runtime.borrow().record_decision(id(one)?, &mut decision, one.applied()?, one.time("now_ms")?)?;
        one.put("decision", values::decision(&decision));
        Ok(())
    }),
    ("runtime.save", |one| {
        let saved = runtime(one)?.borrow().save(id(one)?)?;
        one.put("text", saved);
        Ok(())
    }),
    ("runtime.load", |one| {
        let done = runtime(one)?.borrow().load(id(one)?, one.text("text")?);
        Ok(done?)
    }),
    ("runtime.describe", |one| {
        let described = runtime(one)?.borrow().describe(id(one)?)?;
        one.put("json", described);
        Ok(())
    }),
    ("runtime.stats", |one| {
        let stats = runtime(one)?.borrow().stats()?;
        one.put("json", stats);
        Ok(())
    }),
    ("runtime.attach_cluster", |one| {
        let (settings, options) = (one.text("settings")?, one.options()?);
        let done = runtime(one)?.borrow().attach_cluster(settings, &options);
        Ok(done?)
    }),
    ("runtime.detach_cluster", |one| {
        let done = runtime(one)?.borrow().detach_cluster(one.wait()?);
        Ok(done?)
    }),
    ("runtime.describe_cluster", |one| {
        let json = runtime(one)?.borrow().describe_cluster()?;
        one.put("json", json);
        Ok(())
    }),
    ("runtime.start", |one| {
        let done = runtime(one)?.borrow().start();
        Ok(done?)
    }),
    ("runtime.stop", |one| {
        let done = runtime(one)?.borrow().stop(one.wait()?);
        Ok(done?)
    }),
    ("runtime.close", |one| {
        let done = runtime(one)?.borrow().close(one.wait()?);
        Ok(done?)
    }),
    ("runtime.step", |one| {
        let next = runtime(one)?.borrow().step(one.time("now_ms")?)?;
        let next_ms = next.map_or(values::out_integer(i64::MAX), |next| values::out_time(Some(next)));
        one.put("next_ms", next_ms);
        Ok(())
    }),
    ("runtime.wake_fd", |one| {
        let fd = runtime(one)?.borrow().wake_fd()?.as_raw_fd();
        one.put("fd", fd);
        Ok(())
    }),
];

fn runtime(one: &Call<'_>) -> Answer<Thing<Runtime>> {
    one.thing("runtime")
}

fn id(one: &Call<'_>) -> Answer<ScalerId> {
    Ok(one.integer::<u64>("id")?.into())
}

fn put_id(one: &mut Call<'_>, id: ScalerId) -> Answer {
    one.put("id", values::out_integer(u64::from(id)));
    Ok(())
}

pub const REPLAY: &[(&str, Run)] = &[
    ("series.new", |one| one.keep(Some(Series::new()?))),
    ("series.add", |one| {
        let values = list(one, "values", values::real)?;
        let times = list(one, "times_ms", values::integer)?;
        on_series(one, |series| series.add(one.integer("metric")?, points(times, values)?).map_err(Into::into))
    }),
    ("series.add_replicas", |one| {
        let replicas = list(one, "replicas", values::integer::<i32>)?;
        let times = list(one, "times_ms", values::integer)?;
        on_series(one, |series| series.add_replicas(points(times, replicas)?).map_err(Into::into))
    }),
    ("series.read", |one| {
        let metric: u32 = one.integer("metric")?;
        let (text, scaler) = (one.text("text")?, one.word("scaler")?);
        let scaler = (!scaler.is_empty()).then_some(scaler.as_str());
        on_series(one, |series| Ok(series.read((metric != u32::MAX).then_some(metric), text, scaler)?))
    }),
    ("series.fetch", |one| {
        let (range, step) = (one.time("from_ms")?..=one.time("to_ms")?, one.duration("step_ms")?);
        let (scaler, metric, wait) = (scaler(one)?, one.integer("metric")?, one.wait()?);
        on_series(one, |series| Ok(series.fetch(&mut scaler.borrow_mut(), metric, range, step, wait)?))
    }),
    ("series.write", |one| {
        let csv = on_series(one, |series| Ok(series.write()?))?;
        one.put("csv", csv);
        Ok(())
    }),
    ("series.describe", |one| {
        let described = on_series(one, |series| Ok(series.describe()?))?;
        one.put("json", described);
        Ok(())
    }),
    ("replay.open", |one| {
        let settings = one.word("settings")?;
        let settings = (!settings.is_empty()).then_some(settings.as_str());
        one.keep(Replay::open(one.text("manifest")?, &one.options()?, settings)?)
    }),
    ("replay.run", |one| {
        let (replay, series) = (replay(one)?, one.thing::<Option<Series>>("series")?);
        let mut series = series.borrow_mut();
        let sealed = series.take().ok_or_else(sealed_away)?.seal()?;
        let done = replay.borrow_mut().run(&sealed, None);
        *series = sealed.unseal().ok();
        Ok(done?)
    }),
    ("replay.record", |one| {
        let samples = values::samples(one.arguments.get("samples"))?;
        let replicas = if one.has("replicas") { Some(one.integer("replicas")?) } else { None };
        let last = replay(one)?.borrow_mut().record(one.time("time_ms")?, &samples, replicas)?;
        one.put("decision", values::decision(&last));
        Ok(())
    }),
    ("replay.report", |one| {
        let report = replay(one)?.borrow_mut().report()?;
        one.put("json", report);
        Ok(())
    }),
];

fn replay(one: &Call<'_>) -> Answer<Thing<Replay>> {
    one.thing("replay")
}

fn sealed_away() -> super::call::Problem {
    super::call::Problem::fault("the series was lost in a run")
}

fn on_series<T>(one: &Call<'_>, act: impl FnOnce(&mut Series) -> Answer<T>) -> Answer<T> {
    let series = one.thing::<Option<Series>>("series")?;
    let mut series = series.borrow_mut();
    act(series.as_mut().ok_or_else(sealed_away)?)
}

fn list<T>(one: &Call<'_>, name: &str, value: fn(&Json) -> Answer<T>) -> Answer<Vec<T>> {
    one.arguments.get(name).items().iter().map(value).collect()
}

/// Two lists that belong together, point by point.
fn points<T>(times_ms: Vec<i64>, values: Vec<T>) -> Answer<impl Iterator<Item = (std::time::SystemTime, T)>> {
    if times_ms.len() != values.len() {
        return Err(super::call::Problem::fault("times_ms and what belongs to them differ in length"));
    }
    Ok(times_ms.into_iter().map(values::instant).zip(values))
}
