//! What the host program allows and knows.

use crate::call::{pointer, sized, terminated};
use crate::error::{Error, Result};
use crate::scaler::Scaler;
use gputide_sys::*;
use std::ffi::{c_char, CString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What the host program allows and knows.  Trust is the host's: no manifest can say any of it.  The default allows
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
    plain: [Option<Plain>; PLAIN],
    lists: [Vec<String>; LISTS],
    ca_pem: Option<Bytes>,
    files: Vec<File>,
}

type Plain = Vec<u8>;

const PLAIN: usize = 9;
const PLAIN_NAMES: [&str; PLAIN] = [
    "text_name",
    "scaler",
    "secrets_dir",
    "ca_file",
    "proxy",
    "user_agent",
    "kubeconfig",
    "kube_context",
    "service_account_dir",
];
const LISTS: usize = 3;
const LIST_NAMES: [&str; LISTS] = ["allowed_environment", "allowed_token_hosts", "allowed_programs"];

#[derive(Clone, Debug)]
struct File {
    name: Option<String>,
    text: Bytes,
}

/// A text that may hold a secret, and does not show it.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl fmt::Debug for Bytes {
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
    ($($(#[$doc:meta])* $name:ident: $index:literal;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl AsRef<str>) -> Self {
            self.plain[$index] = Some($name.as_ref().into());
            self
        })*
    };
}

macro_rules! paths {
    ($($(#[$doc:meta])* $name:ident: $index:literal;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl AsRef<Path>) -> Self {
            self.plain[$index] = Some($name.as_ref().as_os_str().as_bytes().into());
            self
        })*
    };
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $index:literal;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.lists[$index] = $name.into_iter().map(Into::into).collect();
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
        /// No credential to a peer whose certificate is not verified.
        verified_peers: GPUTIDE_VERIFIED_PEERS;
        /// The host's own tokens and signatures, too, to a peer that a manifest says not to verify.
        allow_unverified_peers: GPUTIDE_ALLOW_UNVERIFIED_PEERS;
    }

    texts! {
        /// Name of the main text in messages; `"<text>"` without it.
        text_name: 0;
        /// Which one, `"name"` or `"namespace/name"`, where the text holds several.
        scaler: 1;
        /// `"http://proxy:3128"` for all but loopback and metadata services; `"environment"`: as `HTTPS_PROXY`,
        /// `HTTP_PROXY` and `NO_PROXY` say.
        proxy: 4;
        /// `"gputide/0.2.0"` without it.
        user_agent: 5;
        /// One of the kubeconfig's contexts; its current one without it.
        kube_context: 7;
    }

    paths! {
        /// `DIR/<name>/<key>` for `secretTargetRef` and `configMapTargetRef`.
        secrets_dir: 2;
        /// PEM roots; instead of `SSL_CERT_FILE`, `SSL_CERT_DIR` and the system's.
        ca_file: 3;
        /// The Kubernetes cluster to read from; `KUBECONFIG` where it is allowed, else the pod's service account.
        kubeconfig: 6;
        /// Token, ca.crt and namespace of a pod; where Kubernetes mounts them without it.
        service_account_dir: 8;
    }

    lists! {
        /// Variables that `${NAME}` and `env:` may name: `["TENANT", "APP_*"]`.
        allowed_environment: 0;
        /// Hosts that may get a cloud token beside the cloud's own.
        allowed_token_hosts: 1;
        /// Programs that may be run for a token: `["az", "/opt/bin/token"]`.
        allowed_programs: 2;
    }

    /// PEM roots as text; goes before [`ca_file`](Self::ca_file).
    pub fn ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca_pem = Some(Bytes(pem.into()));
        self
    }

    /// One more text beside the main one: a TriggerAuthentication, a Secret, a ConfigMap.  Its name is for messages.
    pub fn file<'a>(mut self, name: impl Into<Option<&'a str>>, text: impl Into<Vec<u8>>) -> Self {
        self.files.push(File { name: name.into().map(str::to_owned), text: Bytes(text.into()) });
        self
    }

    /// These options as C takes them.
    pub(crate) fn raw(&self) -> Result<RawOptions<'_>> {
        let mut kept = Vec::new();
        let mut raw = gputide_options { flags: self.flags, ..gputide_options::zeroed() };
        for ((place, text), name) in plain_members(&mut raw).into_iter().zip(&self.plain).zip(PLAIN_NAMES) {
            if let Some(text) = text {
                *place = keep(&mut kept, terminated(text.clone(), name)?);
            }
        }
        for ((place, list), name) in list_members(&mut raw).into_iter().zip(&self.lists).zip(LIST_NAMES) {
            if let Some(comma) = list.iter().find(|one| one.contains(',')) {
                return Err(Error::comma(name, comma));
            }
            if !list.is_empty() {
                *place = keep(&mut kept, terminated(list.join(","), name)?);
            }
        }
        if let Some(Bytes(pem)) = &self.ca_pem {
            (raw.ca_pem, raw.ca_pem_bytes) = sized(pem);
        }
        let mut files = Vec::with_capacity(self.files.len());
        for File { name, text } in &self.files {
            let name = name.as_ref().map(|name| terminated(name.as_str(), "a file's name")).transpose()?;
            let (text, size_bytes) = sized(&text.0);
            files.push(gputide_file { name: pointer(name.as_ref()), text, size_bytes });
            kept.extend(name);
        }
        if !files.is_empty() {
            raw.files = files.as_ptr();
            raw.file_count = files.len() as u32;
            raw.file_size = std::mem::size_of::<gputide_file>() as u32;
        }
        Ok(RawOptions { raw, _texts: kept, _files: files, _options: std::marker::PhantomData })
    }
}

/// In the order of `PLAIN_NAMES`.
fn plain_members(raw: &mut gputide_options) -> [&mut *const c_char; PLAIN] {
    [
        &mut raw.text_name,
        &mut raw.scaler,
        &mut raw.secrets_dir,
        &mut raw.ca_file,
        &mut raw.proxy,
        &mut raw.user_agent,
        &mut raw.kubeconfig,
        &mut raw.kube_context,
        &mut raw.service_account_dir,
    ]
}

/// In the order of `LIST_NAMES`.
fn list_members(raw: &mut gputide_options) -> [&mut *const c_char; LISTS] {
    [&mut raw.allowed_environment, &mut raw.allowed_token_hosts, &mut raw.allowed_programs]
}

fn keep(kept: &mut Vec<CString>, text: CString) -> *const c_char {
    let place = text.as_ptr();
    kept.push(text);
    place
}

/// `gputide_options` with what it points to.
pub(crate) struct RawOptions<'a> {
    raw: gputide_options,
    _texts: Vec<CString>,
    _files: Vec<gputide_file>,
    _options: std::marker::PhantomData<&'a Options>,
}

impl RawOptions<'_> {
    pub(crate) fn get(&self) -> *const gputide_options {
        &self.raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text(place: *const c_char) -> String {
        // SAFETY: a kept text.
        unsafe { CStr::from_ptr(place) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn every_option_reaches_its_member() {
        let options = Options::new()
            .text_name("text_name")
            .scaler("scaler")
            .secrets_dir("secrets_dir")
            .ca_file("ca_file")
            .proxy("proxy")
            .user_agent("user_agent")
            .kubeconfig("kubeconfig")
            .kube_context("kube_context")
            .service_account_dir("service_account_dir")
            .allowed_environment(["allowed_environment", "b"])
            .allowed_token_hosts(["allowed_token_hosts", "b"])
            .allowed_programs(["allowed_programs", "b"])
            .ca_pem("pem\0")
            .file("name", "text")
            .file(None, "other");
        let raw = options.raw().unwrap();
        // Every member is named: one that C adds does not compile until it has its place here.
        let gputide_options {
            struct_size,
            flags,
            text_name,
            scaler,
            files,
            file_count,
            file_size,
            allowed_environment,
            allowed_token_hosts,
            allowed_programs,
            secrets_dir,
            ca_file,
            ca_pem,
            ca_pem_bytes,
            proxy,
            user_agent,
            kubeconfig,
            kube_context,
            service_account_dir,
        } = raw.raw;
        let mut all = raw.raw;
        for (place, name) in plain_members(&mut all).into_iter().zip(PLAIN_NAMES) {
            assert_eq!(text(*place), name);
        }
        for (place, name) in list_members(&mut all).into_iter().zip(LIST_NAMES) {
            assert_eq!(text(*place), format!("{name},b"));
        }
        let plain =
            [text_name, scaler, secrets_dir, ca_file, proxy, user_agent, kubeconfig, kube_context, service_account_dir];
        assert_eq!(plain.map(text), PLAIN_NAMES.map(str::to_owned));
        let lists = [allowed_environment, allowed_token_hosts, allowed_programs];
        assert!(lists.map(text).iter().all(|list| list.ends_with(",b")));
        assert_eq!((struct_size as usize, flags), (std::mem::size_of::<gputide_options>(), 0));
        assert_eq!((ca_pem.is_null(), ca_pem_bytes, file_count, file_size), (false, 4, 2, 24));
        // SAFETY: two files, as was just seen.
        let files = unsafe { std::slice::from_raw_parts(files, 2) };
        assert_eq!((text(files[0].name), files[0].size_bytes), ("name".to_owned(), 4));
        assert!(files[1].name.is_null());
    }

    #[test]
    fn each_flag_is_a_member() {
        type Flag = fn(Options, bool) -> Options;
        let flags: [(Flag, u32); 7] = [
            (Options::allow_environment, 1),
            (Options::allow_plain_http, 2),
            (Options::allow_custom_authority, 4),
            (Options::enable_azure_proxy, 8),
            (Options::strict, 16),
            (Options::verified_peers, 32),
            (Options::allow_unverified_peers, 64),
        ];
        for (flag, bit) in flags {
            assert_eq!(flag(Options::new(), true).flags, bit);
            assert_eq!(flag(flag(Options::new(), true), false).flags, 0);
        }
    }

    #[test]
    fn secrets_do_not_show() {
        let shown = format!("{:?}", Options::new().file("s", "password: hunter2").ca_pem("hunter2"));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
