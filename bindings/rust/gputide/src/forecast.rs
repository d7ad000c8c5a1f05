//! The load of the next start-up time, for a host that scales in a loop of its own.

use crate::call::{check, sized, text_of};
use crate::error::Result;
use crate::handle::Owned;
use crate::numbers::{FloorReason, ForecastState};
use crate::time::unix_ms;
use gputide_sys::*;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::time::SystemTime;

/// Predicts the load once a replica that is started now is up: it learns from one load per pass, scores itself against
/// "nothing will change", and gives a floor for the size that the host came to without it.  In a manifest
/// `gputide.io/forecast` does all of this.  Each pass: [`add`](Self::add), decide, [`floor`](Self::floor), write the size,
/// [`charge`](Self::charge).
///
/// ```
/// use gputide::{FloorReason, Forecast};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// # fn main() -> gputide::Result<()> {
/// let mut forecast = Forecast::open(Some(r#"{"lead_ms": 300000}"#))?;
/// forecast.add(UNIX_EPOCH + Duration::from_secs(1_795_255_200), 42.0)?;
/// let floor = forecast.floor(10.0, 5, 5, 40)?; // 10 a replica, 5 replicas without the forecast, 5 now, at most 40
/// assert_eq!((floor.reason, floor.replicas), (FloorReason::WARMING_UP, 5));
/// forecast.charge(floor.replicas, 5)?;
/// # Ok(())
/// # }
/// ```
pub struct Forecast {
    handle: Owned<gputide_forecast>,
    not_sync: PhantomData<Cell<()>>,
}

impl Forecast {
    /// settings: JSON, every member and its default in docs/json.md; none: the defaults.
    pub fn open(settings: Option<&str>) -> Result<Self> {
        let (settings, size) = settings.map_or((std::ptr::null(), 0), |text| sized(text.as_bytes()));
        // SAFETY: the settings go with their size.
        let handle = Owned::open(|out, err| unsafe { gputide_forecast_open(settings, size, out, err) })?;
        Ok(Self { handle, not_sync: PhantomData })
    }

    /// A pass at that time read this load, in total.  NaN, an infinity and a number below 0: nothing could be read.
    pub fn add(&mut self, time: SystemTime, load: f64) -> Result<()> {
        // SAFETY: an open forecast, which this call has to itself.
        check(|err| unsafe { gputide_forecast_add(self.handle.get(), unix_ms(time), load, err) })
    }

    /// The floor under the size that this pass came to.  target: load that one replica takes; reactive: the size without
    /// the forecast, before rate limits and bounds; current: 0: the workload is off, and stays so; max: the floor does
    /// not pass it.
    pub fn floor(&self, target: f64, reactive: i32, current: i32, max: i32) -> Result<Floor> {
        let mut floor = gputide_floor::zeroed();
        // SAFETY: an open forecast.
        check(|err| unsafe {
            gputide_forecast_floor(self.handle.get(), target, reactive, current, max, &mut floor, err)
        })?;
        Ok(Floor {
            state: floor.state.into(),
            reason: floor.reason.into(),
            replicas: floor.replicas,
            need_replicas: (floor.need_replicas >= 0).then_some(floor.need_replicas),
            floor_load: (!floor.floor_load.is_nan()).then_some(floor.floor_load),
        })
    }

    /// Books what the budget is counted by: the size that was written, and the one that a loop without the forecast would have.
    /// Once per pass, after [`floor`](Self::floor).
    pub fn charge(&mut self, written: i32, shadow: i32) -> Result<()> {
        // SAFETY: an open forecast, which this call has to itself.
        check(|err| unsafe { gputide_forecast_charge(self.handle.get(), written, shadow, err) })
    }

    /// Its forecast, how good it has been and what it cost, as JSON.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: an open forecast.
        text_of(|out, err| unsafe { gputide_forecast_describe(self.handle.get(), out, err) })
    }

    /// Text that survives a restart, for [`load`](Self::load).
    pub fn save(&self) -> Result<String> {
        // SAFETY: an open forecast.
        text_of(|out, err| unsafe { gputide_forecast_save(self.handle.get(), out, err) })
    }

    /// Goes on as the one that was saved; one of another lead keeps patterns and account, one of another slot starts anew.
    pub fn load(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        let (text, size) = sized(text.as_ref());
        // SAFETY: an open forecast, which this call has to itself; the text goes with its size.
        check(|err| unsafe { gputide_forecast_load(self.handle.get(), text, size, err) })
    }
}

impl fmt::Debug for Forecast {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Forecast")
    }
}

/// The result of asking a [`Forecast`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Floor {
    /// The state of the forecast.
    pub state: ForecastState,
    /// The result of the floor.
    pub reason: FloorReason,
    /// The reactive size or more; never above the maximum because of the forecast.
    pub replicas: i32,
    /// The size that the floor's load takes; none: the forecast asks for nothing.
    pub need_replicas: Option<i32>,
    /// The load to be ready for; none: the forecast asks for nothing.
    pub floor_load: Option<f64>,
}
