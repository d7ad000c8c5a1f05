//! Tokens for Azure, AWS, Google and what a file or a program gives.

use crate::call::{check, sized, terminated, text_of, Text};
use crate::error::Result;
use crate::handle::Owned;
use crate::library::ensure;
use crate::options::Options;
use crate::time::optional_instant;
use crate::wait::Wait;
use gputide_sys::*;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// Something that gets tokens: a TriggerAuthentication document, or its `podIdentity` block alone.  Equal ones share a
/// cache over the whole process; any number of threads may use one.
#[derive(Clone)]
pub struct Credential(Arc<Owned<gputide_credential>>);

impl Credential {
    /// From text: `provider: azure-workload`; every provider of a manifest is one here (docs/credentials.md).  No request
    /// is made.
    pub fn open(text: impl AsRef<[u8]>) -> Result<Self> {
        Self::open_with(text, &Options::new())
    }

    /// The same with options.
    pub fn open_with(text: impl AsRef<[u8]>, options: &Options) -> Result<Self> {
        let ((text, size), options) = (sized(text.as_ref()), options.raw()?);
        // SAFETY: text and options outlive the call.
        Owned::open(|out, err| unsafe { gputide_credential_open(text, size, options.get(), out, err) })
            .map(|handle| Self(Arc::new(handle)))
    }

    /// A token for one scope (`"https://prometheus.monitor.azure.com/.default"`); from the cache where it can.  Blocks.
    pub fn token<'a>(&self, scope: &str, wait: impl Into<Wait<'a>>) -> Result<Token> {
        let (scope, wait) = (terminated(scope, "scope")?, wait.into());
        let (mut value, mut info) = (Text::new(), gputide_token_info::zeroed());
        // SAFETY: an open credential; the scope ends with a NUL.
        check(|err| unsafe {
            gputide_credential_token(
                self.0.get(),
                scope.as_ptr(),
                wait.timeout_ms(),
                wait.native(),
                value.buffer(),
                &mut info,
                err,
            )
        })?;
        Ok(Token { value, info })
    }

    /// The same for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn token_async(&self, scope: &str, timeout: std::time::Duration) -> Result<Token> {
        let (credential, scope) = (self.clone(), scope.to_owned());
        crate::asynchronous::blocking(move |cancel| credential.token(&scope, Wait::of(timeout).cancel(cancel))).await
    }

    /// Changes a node pool of AKS, unless the change (JSON) is dry, and follows the operation to its end: what was and what
    /// is to be, as JSON (docs/json.md, agent_pool_write).  Blocks, for minutes.
    pub fn write_agent_pool<'a>(&self, change: impl AsRef<[u8]>, wait: impl Into<Wait<'a>>) -> Result<String> {
        let ((change, size), wait) = (sized(change.as_ref()), wait.into());
        let mut outcome = Text::new();
        // SAFETY: an open credential; the change goes with its size.
        check(|err| unsafe {
            gputide_agent_pool_write(
                self.0.get(),
                change,
                size,
                wait.timeout_ms(),
                wait.native(),
                outcome.buffer(),
                err,
            )
        })?;
        Ok(outcome.take().unwrap_or_default())
    }

    /// The same for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn write_agent_pool_async(
        &self,
        change: impl AsRef<[u8]>,
        timeout: std::time::Duration,
    ) -> Result<String> {
        let (credential, change) = (self.clone(), change.as_ref().to_vec());
        crate::asynchronous::blocking(move |cancel| {
            credential.write_agent_pool(&change, Wait::of(timeout).cancel(cancel))
        })
        .await
    }

    /// A resource answered 401 to exactly this token: drop it.
    pub fn invalidate(&self, scope: &str, token: impl AsRef<[u8]>) -> Result<()> {
        let (scope, (token, size)) = (terminated(scope, "scope")?, sized(token.as_ref()));
        // SAFETY: an open credential; the scope ends with a NUL, the token goes with its size.
        check(|err| unsafe { gputide_credential_invalidate(self.0.get(), scope.as_ptr(), token, size, err) })
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Credential")
    }
}

/// A bearer token.  Its value is a secret: `Debug` does not show it, and it is overwritten when this is dropped.
pub struct Token {
    value: Text,
    info: gputide_token_info,
}

impl Token {
    /// The secret itself: keep it out of logs.
    pub fn value(&self) -> &str {
        self.value.bytes().and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// When it ends.
    pub fn expires(&self) -> Option<SystemTime> {
        optional_instant(self.info.expires_at_ms)
    }

    /// The library renews it from here on.
    pub fn refresh(&self) -> Option<SystemTime> {
        optional_instant(self.info.refresh_at_ms)
    }

    /// The library does not hand it out beyond this.
    pub fn usable_until(&self) -> Option<SystemTime> {
        optional_instant(self.info.usable_until_ms)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Token").field("expires", &self.expires()).finish_non_exhaustive()
    }
}

/// Claims of a JWT that tell the identity that it belongs to (aud, iss, tid, sub, exp, ...), as JSON; never its signature.  Nothing is
/// verified.
pub fn token_claims(token: impl AsRef<[u8]>) -> Result<String> {
    ensure()?;
    let (token, size) = sized(token.as_ref());
    // SAFETY: the token goes with its size.
    text_of(|out, err| unsafe { gputide_token_claims(token, size, out, err) })
}
