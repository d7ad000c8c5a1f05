//! Options as C takes them.

use super::{File, Options, SecretText};
use crate::call::{pointer, sized, terminated};
use crate::error::{Error, Result};
use gputide_sys::*;
use std::ffi::{c_char, CString};
use std::marker::PhantomData;

/// `gputide_options` with what it points to.
pub(crate) struct RawOptions<'a> {
    raw: gputide_options,
    _texts: Vec<CString>,
    _files: Vec<gputide_file>,
    _options: PhantomData<&'a Options>,
}

impl RawOptions<'_> {
    pub(crate) fn get(&self) -> *const gputide_options {
        &self.raw
    }
}

impl Options {
    /// These options as C takes them.
    pub(crate) fn raw(&self) -> Result<RawOptions<'_>> {
        let mut texts = Vec::new();
        let mut raw = gputide_options { flags: self.flags, ..gputide_options::zeroed() };
        for (name, member) in text_members(&mut raw) {
            if let Some(text) = self.texts.get(name) {
                *member = keep(&mut texts, terminated(text.as_slice(), name)?);
            }
        }
        for (name, member) in list_members(&mut raw) {
            if let Some(list) = self.lists.get(name).filter(|list| !list.is_empty()) {
                *member = keep(&mut texts, joined(list, name)?);
            }
        }
        if let Some(SecretText(pem)) = &self.ca_pem {
            (raw.ca_pem, raw.ca_pem_bytes) = sized(pem);
        }
        let files = self.files.iter().map(|file| file.raw(&mut texts)).collect::<Result<Vec<_>>>()?;
        if !files.is_empty() {
            (raw.files, raw.file_count) = (files.as_ptr(), files.len() as u32);
            raw.file_size = std::mem::size_of::<gputide_file>() as u32;
        }
        Ok(RawOptions { raw, _texts: texts, _files: files, _options: PhantomData })
    }
}

impl File {
    /// As C takes it; its name is kept in `texts`.
    fn raw(&self, texts: &mut Vec<CString>) -> Result<gputide_file> {
        let name = self.name.as_ref().map(|name| terminated(name.as_str(), "a file's name")).transpose()?;
        let (text, size_bytes) = sized(&self.text.0);
        let raw = gputide_file { name: pointer(name.as_ref()), text, size_bytes };
        texts.extend(name);
        Ok(raw)
    }
}

macro_rules! named {
    ($raw:ident: $($member:ident)*) => { [$((stringify!($member), &mut $raw.$member)),*] };
}

fn text_members(raw: &mut gputide_options) -> [(&'static str, &mut *const c_char); 9] {
    named![raw: text_name scaler secrets_dir ca_file proxy user_agent kubeconfig kube_context service_account_dir]
}

fn list_members(raw: &mut gputide_options) -> [(&'static str, &mut *const c_char); 3] {
    named![raw: allowed_environment allowed_token_hosts allowed_programs]
}

/// C has the list as one text with commas.
fn joined(list: &[String], name: &str) -> Result<CString> {
    match list.iter().find(|element| element.contains(',')) {
        Some(comma) => Err(Error::comma(name, comma)),
        None => terminated(list.join(","), name),
    }
}

fn keep(texts: &mut Vec<CString>, text: CString) -> *const c_char {
    let place = text.as_ptr();
    texts.push(text);
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text(member: *const c_char) -> String {
        // SAFETY: a kept text.
        unsafe { CStr::from_ptr(member) }.to_str().unwrap().to_owned()
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
        macro_rules! members {
            ($($member:ident)*) => { [$((stringify!($member), $member)),*] };
        }
        let texts =
            members![text_name scaler secrets_dir ca_file proxy user_agent kubeconfig kube_context service_account_dir];
        for (name, member) in texts {
            assert_eq!(text(member), name);
        }
        for (name, member) in members![allowed_environment allowed_token_hosts allowed_programs] {
            assert_eq!(text(member), format!("{name},b"));
        }
        assert_eq!((struct_size as usize, flags), (std::mem::size_of::<gputide_options>(), 0));
        assert_eq!((ca_pem.is_null(), ca_pem_bytes, file_count, file_size), (false, 4, 2, 24));
        // SAFETY: two files, as was just observation.
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
}
