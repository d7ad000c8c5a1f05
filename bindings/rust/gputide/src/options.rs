//! The permissions and facts of the host program.

mod raw;

use crate::error::Result;
use crate::scaler::Scaler;
use gputide_sys::*;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The permissions and facts of the host program.  Trust is the host's: no manifest can say any of it.  The default allows
/// nothing.
///
/// ```
/// use gputide::{Options, Policy};
///
/// # fn main() -> gputide::Result<()> {
/// # let text = r#"{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"up"},"spec":{"scaleTargetRef":
/// # {"name":"up"},"triggers":[{"type":"values","metadata":{"threshold":"5"}}]}}"#;
/// let options = Options::new().text_name("so.yaml").allowed_environment(["TENANT", "APP_*"]);
/// let policy = Policy::parse_with(text, &options)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    flags: u32,
    texts: BTreeMap<&'static str, Vec<u8>>, // by the member's name, as are the lists
    lists: BTreeMap<&'static str, Vec<String>>,
    ca_pem: Option<SecretText>,
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: Option<String>,
    text: SecretText,
}

/// A text that may hold a secret, and does not show it.
#[derive(Clone)]
struct SecretText(Vec<u8>);

impl fmt::Debug for SecretText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} bytes", self.0.len())
    }
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $flag:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, allowed: bool) -> Self {
            self.flags = if allowed { self.flags | $flag } else { self.flags & !$flag };
            self
        })*
    };
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl AsRef<str>) -> Self {
            self.texts.insert(stringify!($name), $name.as_ref().into());
            self
        })*
    };
}

macro_rules! paths {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl AsRef<Path>) -> Self {
            self.texts.insert(stringify!($name), $name.as_ref().as_os_str().as_encoded_bytes().into());
            self
        })*
    };
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.lists.insert(stringify!($name), $name.into_iter().map(Into::into).collect());
            self
        })*
    };
}

impl Options {
    /// Nothing is allowed.
    pub fn new() -> Self {
        Self::default()
    }

    /// A [`Scaler`] by these options: as [`Scaler::open_with`].
    pub fn open(&self, manifest: impl AsRef<[u8]>) -> Result<Scaler> {
        Scaler::open_with(manifest, self)
    }

    flags! {
        /// Any name in `${NAME}` and `env:`.
        allow_environment: GPUTIDE_ALLOW_ENVIRONMENT;
        /// A credential over http to a host that is not loopback.
        allow_plain_http: GPUTIDE_ALLOW_PLAIN_HTTP;
        /// A login endpoint outside the known Azure clouds.
        allow_custom_authority: GPUTIDE_ALLOW_CUSTOM_AUTHORITY;
        /// AKS identity bindings: `AZURE_KUBERNETES_TOKEN_PROXY`.
        enable_azure_proxy: GPUTIDE_ENABLE_AZURE_PROXY;
        /// The strict profile, as if each manifest said `gputide.io/profile: strict`.
        strict: GPUTIDE_STRICT;
        /// No credential to a peer without a verified certificate.
        verified_peers: GPUTIDE_VERIFIED_PEERS;
        /// The host's own tokens and signatures, too, to a peer that a manifest says not to verify.
        allow_unverified_peers: GPUTIDE_ALLOW_UNVERIFIED_PEERS;
    }

    texts! {
        /// Name of the main text in messages; `"<text>"` without it.
        text_name;
        /// Which one, `"name"` or `"namespace/name"`, where the text holds several.
        scaler;
        /// `"http://proxy:3128"` for all but loopback and metadata services; `"environment"`: as `HTTPS_PROXY`,
        /// `HTTP_PROXY` and `NO_PROXY` say.
        proxy;
        /// `"gputide/0.2.0"` without it.
        user_agent;
        /// One of the kubeconfig's contexts; its current one without it.
        kube_context;
    }

    paths! {
        /// `DIR/<name>/<key>` for `secretTargetRef` and `configMapTargetRef`.
        secrets_dir;
        /// PEM roots; instead of `SSL_CERT_FILE`, `SSL_CERT_DIR` and the system's.
        ca_file;
        /// The Kubernetes cluster to read from; `KUBECONFIG` where it is allowed, else the pod's service account.
        kubeconfig;
        /// Token, ca.crt and namespace of a pod; where Kubernetes mounts them without it.
        service_account_dir;
    }

    lists! {
        /// Variables that `${NAME}` and `env:` may name: `["TENANT", "APP_*"]`.
        allowed_environment;
        /// Hosts that may get a cloud token beside the cloud's own.
        allowed_token_hosts;
        /// Programs that may be run for a token: `["az", "/opt/bin/token"]`.
        allowed_programs;
    }

    /// PEM roots as text; goes before [`ca_file`](Self::ca_file).
    pub fn ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca_pem = Some(SecretText(pem.into()));
        self
    }

    /// One more text beside the main one: a TriggerAuthentication, a Secret, a ConfigMap.  Its name is for messages.
    pub fn file<'a>(mut self, name: impl Into<Option<&'a str>>, text: impl Into<Vec<u8>>) -> Self {
        self.files.push(File { name: name.into().map(str::to_owned), text: SecretText(text.into()) });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_show() {
        let shown = format!("{:?}", Options::new().file("s", "password: hunter2").ca_pem("hunter2"));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
