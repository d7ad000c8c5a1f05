//! closed: use after close cannot be written.  Each program that does not compile stands beside one that does and differs
//! from it in one line alone.
//!
//! A handle that was dropped:
//!
//! ```
//! let mut state = gputide::Policy::parse(gputide_checks::support::scaled_object("demo"))?.new_state()?;
//! state.decide_values(gputide_checks::support::now(), 3, &[42.5])?;
//! drop(state);
//! # Ok::<(), gputide::Error>(())
//! ```
//! ```compile_fail,E0382
//! let mut state = gputide::Policy::parse(gputide_checks::support::scaled_object("demo"))?.new_state()?;
//! drop(state);
//! state.decide_values(gputide_checks::support::now(), 3, &[42.5])?;
//! # Ok::<(), gputide::Error>(())
//! ```
//!
//! Events that outlive their runtime:
//!
//! ```
//! let runtime = gputide::Runtime::new()?;
//! let events = runtime.events();
//! drop(events);
//! drop(runtime);
//! # Ok::<(), gputide::Error>(())
//! ```
//! ```compile_fail,E0505
//! let runtime = gputide::Runtime::new()?;
//! let events = runtime.events();
//! drop(runtime);
//! drop(events);
//! # Ok::<(), gputide::Error>(())
//! ```
//!
//! A series that replays read is added to no more:
//!
//! ```
//! let mut series = gputide::Series::new()?;
//! series.add(0, [])?;
//! let sealed = series.seal()?;
//! # Ok::<(), gputide::Error>(())
//! ```
//! ```compile_fail,E0382
//! let mut series = gputide::Series::new()?;
//! let sealed = series.seal()?;
//! series.add(0, [])?;
//! # Ok::<(), gputide::Error>(())
//! ```
//!
//! Two threads at once, where C takes `T *`; a policy is shared, and a state goes from thread to thread:
//!
//! ```
//! fn shared<T: Send + Sync>() {}
//! fn sent<T: Send>() {}
//! shared::<gputide::Policy>();
//! shared::<gputide::Credential>();
//! shared::<gputide::Sealed>();
//! shared::<gputide::Cancel>();
//! shared::<gputide::Runtime>();
//! sent::<gputide::State>();
//! sent::<gputide::Scaler>();
//! sent::<gputide::Source>();
//! sent::<gputide::Series>();
//! sent::<gputide::Replay>();
//! sent::<gputide::LogReader>();
//! sent::<gputide::Forecast>();
//! sent::<gputide::Rightsize>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::State>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::Scaler>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::Source>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::Series>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::Replay>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::LogReader>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::Forecast>();
//! ```
//! ```compile_fail,E0277
//! fn shared<T: Send + Sync>() {}
//! shared::<gputide::Rightsize>();
//! ```
