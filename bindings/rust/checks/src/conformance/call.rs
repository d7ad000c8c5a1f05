//! One call: its arguments by their names, the handles that earlier calls of the line opened, its result.

use super::{inputs, outputs, values};
use crate::json::Json;
use gputide::{Decision, Floor, Observation, Options, Policy, State, Wait};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

pub enum Problem {
    /// What the function gave.
    Failed(gputide::Error),
    /// What cannot be said in Rust's types, as a negative duration.
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

/// What the calls of one line have opened, in that order, and the decisions that they took.
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
            "collect" => opened.sort_by(|one, other| one.0.cmp(&other.0)), // whatever was opened first
            _ => {}
        }
        opened.into_iter().for_each(drop);
    }
}

/// A decision or a floor, whose name the next one may take.
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

    pub fn flag(&self, name: &str) -> bool {
        *self.arguments.get(name) == Json::Bool(true)
    }

    /// Why the write of a decision that is recorded failed, where the call says it.
    pub fn explain(&self, decision: &mut Decision) -> Answer<()> {
        if let Some(message) = self.arguments.get("message").text() {
            decision.because(message)?;
        }
        Ok(())
    }

    pub fn applied(&self) -> Answer<bool> {
        Ok(self.integer::<i32>("applied")? != 0)
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
        inputs::options(self.arguments.get("options"))
    }

    pub fn seen(&self) -> Answer<Observation> {
        inputs::observation(self.arguments.get("seen"))
    }

    // ---- handles and decisions
    fn name(&self, role: &str) -> Answer<&'a str> {
        self.arguments.get(role).text().ok_or_else(|| Problem::fault(format!("{role}: expected a name")))
    }

    pub fn thing<T: 'static>(&self, role: &str) -> Answer<Thing<T>> {
        self.things.find(self.name(role)?)
    }

    pub fn keep<T: 'static>(&self, thing: T) -> Answer {
        self.things.keep(self.name("as")?, thing)
    }

    /// The one named, or the state's own.
    pub fn policy(&self) -> Answer<Policy> {
        if self.has("policy") {
            return Ok(self.thing::<Policy>("policy")?.borrow().clone());
        }
        Ok(self.thing::<State>("state")?.borrow().policy().clone())
    }

    pub fn decided(&mut self, decision: Decision) -> Answer {
        self.put("decision", outputs::decision(&decision));
        if let Some(report) = decision.report() {
            self.put("report", report);
        }
        if self.has("as") {
            self.keep(decision)?;
        }
        Ok(())
    }
}
