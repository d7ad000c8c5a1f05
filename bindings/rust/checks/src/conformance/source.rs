//! Sections 4 and 5 of gputide.h: credentials, one metric.

use super::call::{Answer, Call, Thing};
use super::{outputs, values, Run};
use crate::json::object;
use gputide::{Credential, Sample, Samples, Source};

pub const CREDENTIAL: &[(&str, Run)] = &[
    ("credential.open", |call| call.keep(Credential::open_with(call.text("text")?, &call.options()?)?)),
    ("credential.token", |call| {
        let credential = call.thing::<Credential>("credential")?;
        let token = credential.borrow().token(&call.word("scope")?, call.wait()?)?;
        call.put("token", token.value());
        let info = object([
            ("expires_at_ms", values::out_time(token.expires())),
            ("refresh_at_ms", values::out_time(token.refresh())),
            ("usable_until_ms", values::out_time(token.usable_until())),
        ]);
        call.put("info", info);
        Ok(())
    }),
    ("credential.invalidate", |call| {
        let credential = call.thing::<Credential>("credential")?;
        credential.borrow().invalidate(&call.word("scope")?, call.text("token")?)?;
        Ok(())
    }),
    ("token.claims", |call| {
        let claims = gputide::token_claims(call.text("token")?)?;
        call.put("json", claims);
        Ok(())
    }),
];

pub const SOURCE: &[(&str, Run)] = &[
    ("source.open", |call| call.keep(Source::open_with(call.text("text")?, &call.options()?)?)),
    ("source.fetch", |call| {
        let (time, wait) = (call.time("now_ms")?, call.wait()?);
        read(call, |source| source.fetch(time, wait))
    }),
    ("source.fetch_all", |call| {
        let samples = source(call)?.borrow_mut().fetch_all(call.time("now_ms")?, call.wait()?)?;
        call.keep(samples)
    }),
    ("source.parse", |call| {
        let (http_status, body) = (call.integer("http_status")?, call.text("body")?);
        read(call, |source| source.parse(http_status, body))
    }),
    ("source.parse_all", |call| {
        let (http_status, headers, body) = (call.integer("http_status")?, call.text("headers")?, call.text("body")?);
        let samples = source(call)?.borrow().parse_all(http_status, headers, body)?;
        call.keep(samples)
    }),
    ("source.request", |call| {
        let request = source(call)?.borrow().request(call.time("now_ms")?)?;
        call.put("json", request);
        Ok(())
    }),
    ("source.describe", |call| {
        let described = source(call)?.borrow().describe()?;
        call.put("json", described);
        Ok(())
    }),
    ("samples.count", |call| {
        let count = samples(call)?.borrow().len();
        call.put("count", count);
        Ok(())
    }),
    ("samples.get", |call| {
        let sample = samples(call)?.borrow().get(call.integer("index")?)?;
        call.put("sample", outputs::sample(&sample));
        Ok(())
    }),
    ("samples.labels", |call| {
        let labels = samples(call)?.borrow().labels(call.integer("index")?);
        call.put("labels", labels);
        Ok(())
    }),
    ("samples.describe", |call| {
        let described = samples(call)?.borrow().describe()?;
        call.put("json", described);
        Ok(())
    }),
    ("quantity", |call| {
        let milli = gputide::quantity(call.text("text")?)?;
        call.put("milli", values::out_integer(milli));
        Ok(())
    }),
];

fn source(call: &Call<'_>) -> Answer<Thing<Source>> {
    call.thing("source")
}

fn samples(call: &Call<'_>) -> Answer<Thing<Samples>> {
    call.thing("samples")
}

/// A failed read gives its sample beside the error.
fn read(call: &mut Call<'_>, read: impl FnOnce(&mut Source) -> gputide::Result<Sample>) -> Answer {
    let reading = read(&mut source(call)?.borrow_mut());
    if let Some(sample) = reading.as_ref().map_or_else(gputide::Error::sample, Some) {
        call.put("sample", outputs::sample(sample));
    }
    reading.map(drop).map_err(Into::into)
}
