//! Section 9 of gputide.h: many scalers.

use super::call::{Answer, Call, Thing};
use super::{inputs, outputs, values, Run};
use gputide::{Decision, Options, Runtime, ScalerId, Status};
use std::os::fd::AsRawFd;

pub const RUNTIME: &[(&str, Run)] = &[
    ("runtime.new", |call| call.keep(Runtime::with_options(&inputs::runtime_options(call.arguments.get("options"))?)?)),
    ("runtime.add", |call| {
        let (manifest, options, tag) = (call.text("manifest")?, call.options()?, call.integer("tag")?);
        let id = runtime(call)?.borrow().add_with(manifest, &options, tag)?;
        put_id(call, id)
    }),
    ("runtime.replace", |call| {
        let tag = if call.has("tag") { Some(call.integer("tag")?) } else { None };
        let (manifest, options): (_, Options) = (call.text("manifest")?, call.options()?);
        runtime(call)?.borrow().replace(id(call)?, manifest, &options, tag)?;
        Ok(())
    }),
    ("runtime.remove", |call| {
        runtime(call)?.borrow().remove(id(call)?)?;
        Ok(())
    }),
    ("runtime.find", |call| {
        let id = runtime(call)?.borrow().find(&call.word("name")?)?;
        put_id(call, id)
    }),
    ("runtime.next_scaler", |call| {
        let after = call.integer::<u64>("after_id")?;
        let id = runtime(call)?.borrow().next_scaler((after != 0).then(|| after.into()))?;
        put_id(call, id)
    }),
    ("runtime.observe", |call| {
        runtime(call)?.borrow().observe(id(call)?, &call.seen()?)?;
        Ok(())
    }),
    ("runtime.push", |call| {
        let samples = inputs::samples(call.arguments.get("samples"))?;
        runtime(call)?.borrow().push(id(call)?, &samples)?;
        Ok(())
    }),
    ("runtime.next_event", |call| {
        let taken = runtime(call)?.borrow().next_event(call.wait()?)?;
        let Some(event) = taken else {
            call.put("error", outputs::error_of(Status::NO_DATA, "no event came in time"));
            return Ok(());
        };
        call.put("event", outputs::event(&event));
        call.decided(event.decision().clone())
    }),
    ("runtime.record", |call| {
        let (runtime, decision) = (runtime(call)?, call.thing::<Decision>("decision")?);
        let mut decision = decision.borrow_mut();
        call.explain(&mut decision)?;
        runtime.borrow().record_decision(id(call)?, &mut decision, call.applied()?, call.time("now_ms")?)?;
        call.put("decision", outputs::decision(&decision));
        Ok(())
    }),
    ("runtime.save", |call| {
        let saved = runtime(call)?.borrow().save(id(call)?)?;
        call.put("text", saved);
        Ok(())
    }),
    ("runtime.load", |call| {
        runtime(call)?.borrow().load(id(call)?, call.text("text")?)?;
        Ok(())
    }),
    ("runtime.describe", |call| {
        let described = runtime(call)?.borrow().describe(id(call)?)?;
        call.put("json", described);
        Ok(())
    }),
    ("runtime.stats", |call| {
        let stats = runtime(call)?.borrow().stats()?;
        call.put("json", stats);
        Ok(())
    }),
    ("runtime.attach_cluster", |call| {
        let (settings, options) = (call.text("settings")?, call.options()?);
        runtime(call)?.borrow().attach_cluster(settings, &options)?;
        Ok(())
    }),
    ("runtime.detach_cluster", |call| {
        runtime(call)?.borrow().detach_cluster(call.wait()?)?;
        Ok(())
    }),
    ("runtime.describe_cluster", |call| {
        let json = runtime(call)?.borrow().describe_cluster()?;
        call.put("json", json);
        Ok(())
    }),
    ("runtime.start", |call| {
        runtime(call)?.borrow().start()?;
        Ok(())
    }),
    ("runtime.stop", |call| {
        runtime(call)?.borrow().stop(call.wait()?)?;
        Ok(())
    }),
    ("runtime.close", |call| {
        runtime(call)?.borrow().close(call.wait()?)?;
        Ok(())
    }),
    ("runtime.step", |call| {
        let next = runtime(call)?.borrow().step(call.time("now_ms")?)?;
        let next_ms = next.map_or(values::out_integer(i64::MAX), |next| values::out_time(Some(next)));
        call.put("next_ms", next_ms);
        Ok(())
    }),
    ("runtime.wake_fd", |call| {
        let fd = runtime(call)?.borrow().wake_fd()?.as_raw_fd();
        call.put("fd", fd);
        Ok(())
    }),
];

fn runtime(call: &Call<'_>) -> Answer<Thing<Runtime>> {
    call.thing("runtime")
}

fn id(call: &Call<'_>) -> Answer<ScalerId> {
    Ok(call.integer::<u64>("id")?.into())
}

fn put_id(call: &mut Call<'_>, id: ScalerId) -> Answer {
    call.put("id", values::out_integer(u64::from(id)));
    Ok(())
}
