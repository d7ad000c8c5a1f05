//! One call: its arguments by their names, the handles that earlier calls of the line opened, its result.

use crate::values::{self, Out};
use gputide::{
    Credential, Decision, Diagnosis, Event, Findings, Floor, Forecast, NodesPlan, Observation, Options, Policy, Replay,
    Rightsize, Runtime, RuntimeOptions, Sample, Scaler, ScalerId, Series, Source, State, Status, Token, UsageSample,
    Wait,
};
use gputide_checks::json::Json;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

pub enum Problem {
    /// The result of the function.
    Failed(gputide::Error),
    /// Arguments that Rust's types cannot express, as a negative duration.
    Refused(String),
    /// A name that an earlier call failed to open.
    Missing(String),
    /// A call that is not written as it should be.
    Fault(String),
}

impl Problem {
    pub fn fault(why: impl Into<String>) -> Self {
        Self::Fault(why.into())
    }
}

impl From<gputide::Error> for Problem {
    fn from(error: gputide::Error) -> Self {
        Self::Failed(error)
    }
}

pub type Answer<T = ()> = Result<T, Problem>;
pub type Thing<T> = Rc<RefCell<T>>;

/// The handles that the calls of one line have opened, in that order, and the decisions that they took.
#[derive(Default)]
pub struct Things {
    opened: RefCell<Vec<(String, Rc<dyn Any>)>>,
}

impl Things {
    fn keep<T: 'static>(&self, name: &str, thing: T) -> Answer {
        let mut opened = self.opened.borrow_mut();
        let taken = opened.iter().position(|(key, _)| key == name);
        match taken {
            Some(index) if is_value(&*opened[index].1) => drop(opened.remove(index)),
            Some(_) => return Err(Problem::fault(format!("as: the name {name:?} is taken"))),
            None => {}
        }
        opened.push((name.to_owned(), Rc::new(RefCell::new(thing))));
        Ok(())
    }

    fn find<T: 'static>(&self, name: &str) -> Answer<Thing<T>> {
        let opened = self.opened.borrow();
        let found = opened.iter().find(|(key, _)| key == name);
        let (_, thing) = found.ok_or_else(|| Problem::Missing(name.to_owned()))?;
        Rc::clone(thing).downcast().map_err(|_| Problem::fault(format!("{name:?} is something else")))
    }

    pub fn close(&self, order: &str) {
        let mut opened = self.opened.take();
        match order {
            "reverse" => opened.reverse(),
            "collect" => opened.sort_by(|a, other| a.0.cmp(&other.0)), // whatever was opened first
            _ => {}
        }
        opened.into_iter().for_each(drop);
    }
}

/// A decision or a floor; the next one may take its name.
fn is_value(thing: &dyn Any) -> bool {
    thing.is::<RefCell<Decision>>() || thing.is::<RefCell<Floor>>()
}

pub struct Call<'a> {
    pub arguments: &'a Json,
    things: &'a Things,
    result: Vec<(String, Json)>,
}

impl<'a> Call<'a> {
    pub fn new(arguments: &'a Json, things: &'a Things) -> Self {
        Self { arguments, things, result: Vec::new() }
    }

    pub fn result(self) -> Json {
        Json::Object(self.result)
    }

    pub fn put(&mut self, member: &str, value: impl Into<Json>) {
        self.result.push((member.to_owned(), value.into()));
    }

    // ---- arguments: what is absent is "", 0, none
    pub fn has(&self, name: &str) -> bool {
        !self.arguments.get(name).is_null()
    }

    pub fn integer<T: TryFrom<i128>>(&self, name: &str) -> Answer<T> {
        values::member(self.arguments, name)
    }

    pub fn text(&self, name: &str) -> Answer<Vec<u8>> {
        if self.has(name) {
            values::text(self.arguments.get(name))
        } else {
            Ok(Vec::new())
        }
    }

    /// A text that is UTF-8.
    pub fn word(&self, name: &str) -> Answer<String> {
        String::from_utf8(self.text(name)?).map_err(|_| Problem::fault(format!("{name}: no UTF-8")))
    }

    pub fn truth(&self, name: &str) -> Answer<bool> {
        Ok(self.integer::<i32>(name)? != 0)
    }

    pub fn real(&self, name: &str) -> Answer<f64> {
        values::real(self.arguments.get(name))
    }

    /// A text that is absent or empty is none.
    pub fn optional(&self, name: &str) -> Answer<Option<String>> {
        let word = self.word(name)?;
        Ok((!word.is_empty()).then_some(word))
    }

    pub fn optional_integer<T: TryFrom<i128>>(&self, name: &str) -> Answer<Option<T>> {
        self.has(name).then(|| self.integer(name)).transpose()
    }

    pub fn list<T>(&self, name: &str, value: fn(&Json) -> Answer<T>) -> Answer<Vec<T>> {
        self.arguments.get(name).items().iter().map(value).collect()
    }

    /// times_ms and what belongs to them, point by point.
    pub fn points<T>(
        &self,
        name: &str,
        value: fn(&Json) -> Answer<T>,
    ) -> Answer<impl Iterator<Item = (SystemTime, T)>> {
        let (times, values) = (self.list("times_ms", values::integer)?, self.list(name, value)?);
        if times.len() != values.len() {
            return Err(Problem::fault(format!("times_ms and {name} differ in length")));
        }
        Ok(times.into_iter().map(values::instant).zip(values))
    }

    pub fn time(&self, name: &str) -> Answer<SystemTime> {
        Ok(values::instant(self.integer(name)?))
    }

    pub fn duration(&self, name: &str) -> Answer<Duration> {
        let ms: i64 = self.integer(name)?;
        let ms = u64::try_from(ms).map_err(|_| Problem::Refused(format!("{name}: a duration of {ms} ms")))?;
        Ok(Duration::from_millis(ms))
    }

    pub fn wait(&self) -> Answer<Wait<'static>> {
        self.duration("timeout_ms").map(Wait::of)
    }

    pub fn options(&self) -> Answer<Options> {
        crate::options(self.arguments.get("options"))
    }

    pub fn runtime_options(&self) -> Answer<RuntimeOptions> {
        crate::runtime_options(self.arguments.get("options"))
    }

    pub fn observation(&self) -> Answer<Observation> {
        values::observation(self.arguments.get("seen"))
    }

    pub fn observation_if_any(&self) -> Answer<Option<Observation>> {
        self.has("seen").then(|| self.observation()).transpose()
    }

    pub fn samples(&self) -> Answer<Vec<Sample>> {
        self.list("samples", values::sample)
    }

    pub fn usage(&self) -> Answer<Vec<UsageSample>> {
        self.list("samples", values::usage_sample)
    }

    pub fn reports(&self) -> bool {
        *self.arguments.get("report") == Json::Bool(true)
    }

    /// The library's word for a number.
    pub fn name<T: From<i32> + ToString>(&self, argument: &str) -> Answer<String> {
        Ok(T::from(self.integer(argument)?).to_string())
    }

    /// GPUTIDE_NO_METRIC stands for the sizes.
    pub fn metric(&self) -> Answer<Option<i32>> {
        Ok(Some(self.integer("metric")?).filter(|&index| index != gputide_sys::GPUTIDE_NO_METRIC))
    }

    // ---- handles and decisions
    fn named(&self, role: &str) -> Answer<&'a str> {
        self.arguments.get(role).text().ok_or_else(|| Problem::fault(format!("{role}: expected a name")))
    }

    pub fn handle<T: 'static>(&self, role: &str) -> Answer<Thing<T>> {
        self.things.find(self.named(role)?)
    }

    pub fn keep<T: 'static>(&self, thing: T) -> Answer {
        self.things.keep(self.named("as")?, thing)
    }

    /// The decision to record, with why its write failed, where the call says it.
    pub fn decision(&self) -> Answer<Thing<Decision>> {
        let decision = self.handle::<Decision>("decision")?;
        if let Some(message) = self.arguments.get("message").text() {
            decision.borrow_mut().because(message)?;
        }
        Ok(decision)
    }

    pub fn new_state(&self) -> Answer<State> {
        let policy = self.handle::<Policy>("policy")?;
        let state = match self.integer("created_ms")? {
            0 => policy.borrow().new_state(),
            created => policy.borrow().new_state_created(values::instant(created)),
        };
        Ok(state?)
    }

    pub fn load_state(&self) -> Answer<State> {
        let (policy, text) = (self.handle::<Policy>("policy")?, self.text("text")?);
        let policy = policy.borrow();
        Ok(if self.truth("flags")? { policy.load_state_unchecked(text)? } else { policy.load_state(text)? })
    }

    pub fn replay(&self) -> Answer {
        let (replay, series) = (self.handle::<Replay>("replay")?, self.handle::<Recorded>("series")?);
        let mut series = series.borrow_mut();
        let sealed = series.0.take().ok_or_else(sealed_away)?.seal()?;
        let outcome = replay.borrow_mut().run(&sealed, None);
        series.0 = sealed.unseal().ok();
        Ok(outcome?)
    }

    /// The written size: a floor's, or the number given.
    pub fn written(&self) -> Answer<i32> {
        match self.has("floor") {
            true => Ok(self.handle::<Floor>("floor")?.borrow().replicas),
            false => self.integer("written_replicas"),
        }
    }

    /// Writes what a call gives into its result.
    pub fn give(&mut self, member: &str, given: impl Given) -> Answer {
        given.give(self, member)
    }
}

/// A series; none while a replay has it.
pub struct Recorded(pub Option<Series>);

impl Recorded {
    pub fn open(&mut self) -> Answer<&mut Series> {
        self.0.as_mut().ok_or_else(sealed_away)
    }
}

fn sealed_away() -> Problem {
    Problem::fault("the series was lost in a run")
}

/// The results that a call may give.
pub trait Given {
    fn give(self, call: &mut Call<'_>, member: &str) -> Answer;
}

impl Given for () {
    fn give(self, call: &mut Call<'_>, member: &str) -> Answer {
        if member == "decision" {
            let recorded = call.handle::<Decision>("decision")?.borrow().out();
            call.put("decision", recorded);
        }
        Ok(())
    }
}

/// Values that are one member of a result, by the function that writes them.
macro_rules! members {
    ($($kind:ty: $write:expr,)*) => {$(
        impl Given for $kind {
            fn give(self, call: &mut Call<'_>, member: &str) -> Answer {
                let write: fn(Self) -> Json = $write;
                call.put(member, write(self));
                Ok(())
            }
        }
    )*};
}

members! {
    String: Into::into,
    &str: Into::into,
    Option<String>: Into::into,
    i32: |number| number.out(),
    u32: |number| number.out(),
    i64: |number| number.out(),
    usize: |count| Json::Number(count.to_string()),
    ScalerId: |id| id.out(),
    Option<SystemTime>: |next| next.map_or(i64::MAX.out(), |next| next.out()),
    Sample: |sample| sample.out(),
}

macro_rules! handles {
    ($($kind:ty)*) => {$(
        impl Given for $kind {
            fn give(self, call: &mut Call<'_>, _: &str) -> Answer {
                call.keep(self)
            }
        }
    )*};
}

handles! { Credential Source Policy State Scaler Runtime Recorded Replay Forecast Rightsize }

impl Given for Decision {
    fn give(self, call: &mut Call<'_>, _: &str) -> Answer {
        call.put("decision", self.out());
        if let Some(report) = self.report() {
            call.put("report", report);
        }
        if call.has("as") {
            call.keep(self)
        } else {
            Ok(())
        }
    }
}

impl Given for Floor {
    fn give(self, call: &mut Call<'_>, member: &str) -> Answer {
        call.put(member, self.out());
        if call.has("as") {
            call.keep(self)
        } else {
            Ok(())
        }
    }
}

impl Given for Option<Event> {
    fn give(self, call: &mut Call<'_>, member: &str) -> Answer {
        let Some(event) = self else {
            call.put("error", values::error_of(Status::NO_DATA, "no event came in time"));
            return Ok(());
        };
        call.put(member, event.out());
        call.give("decision", event.decision().clone())
    }
}

impl Given for Token {
    fn give(self, call: &mut Call<'_>, _: &str) -> Answer {
        call.put("token", self.value());
        call.put("info", self.out());
        Ok(())
    }
}

impl Given for Findings {
    fn give(self, call: &mut Call<'_>, _: &str) -> Answer {
        if !self.report.is_empty() {
            call.put("report", self.report);
            call.put("lines", self.lines);
        }
        self.error.map_or(Ok(()), |error| Err(error.into()))
    }
}

impl Given for Diagnosis {
    fn give(self, call: &mut Call<'_>, _: &str) -> Answer {
        call.put("report", self.report);
        call.put("lines", self.lines);
        Ok(())
    }
}

impl Given for NodesPlan {
    fn give(self, call: &mut Call<'_>, member: &str) -> Answer {
        call.put(member, self.out());
        call.put("json", self.json);
        call.put("state", self.state);
        Ok(())
    }
}
