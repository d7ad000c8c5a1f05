//! For tasks of tokio's: calls that wait, on its blocking threads.

use crate::error::{Error, Result};
use crate::event::Event;
use crate::runtime::Runtime;
use crate::wait::{Cancel, Wait};
use std::sync::Arc;
use std::time::Duration;

/// A call that waits, on a thread of its own.  Where the future is dropped, the call is canceled, and returns soon.
pub(crate) async fn blocking<T: Send + 'static>(call: impl FnOnce(&Cancel) -> Result<T> + Send + 'static) -> Result<T> {
    let cancel = Arc::new(Cancel::new()?);
    let left = FireOnDrop(Arc::clone(&cancel));
    let done = tokio::task::spawn_blocking(move || call(&cancel)).await;
    drop(left);
    done.unwrap_or_else(|ended| match ended.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(Error::shut_down()),
    })
}

struct FireOnDrop(Arc<Cancel>);

impl Drop for FireOnDrop {
    fn drop(&mut self) {
        self.0.fire();
    }
}

impl Runtime {
    /// As [`next_event`](Self::next_event), for a task of tokio's.
    pub async fn next_event_async(self: &Arc<Self>, timeout: Duration) -> Result<Option<Event>> {
        let runtime = Arc::clone(self);
        blocking(move |cancel| runtime.next_event(Wait::of(timeout).cancel(cancel))).await
    }
}
