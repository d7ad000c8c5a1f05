//! Numbers, texts and times in protocol 1's JSON.

use super::call::{Answer, Problem};
use crate::json::Json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const EXACT: i128 = 1 << 53; // integers beyond it are texts

pub fn integer<T: TryFrom<i128>>(value: &Json) -> Answer<T> {
    let digits = match value {
        Json::Number(digits) | Json::Text(digits) => digits.parse::<i128>().ok(),
        _ => None,
    };
    let number = digits.ok_or_else(|| Problem::fault(format!("expected an integer, got {value}")))?;
    T::try_from(number).map_err(|_| Problem::Refused(format!("{number} does not fit")))
}

/// A member; 0 where it is absent.
pub fn member<T: TryFrom<i128>>(value: &Json, name: &str) -> Answer<T> {
    match value.get(name) {
        Json::Null => integer(&0.into()),
        value => integer(value),
    }
}

pub fn real(value: &Json) -> Answer<f64> {
    match value {
        Json::Number(digits) => digits.parse().map_err(|_| Problem::fault(format!("expected a number, got {value}"))),
        Json::Text(name) if name == "NaN" => Ok(f64::NAN),
        Json::Text(name) if name == "+Inf" => Ok(f64::INFINITY),
        Json::Text(name) if name == "-Inf" => Ok(f64::NEG_INFINITY),
        _ => Err(Problem::fault(format!("expected a number, got {value}"))),
    }
}

pub fn text(value: &Json) -> Answer<Vec<u8>> {
    match (value, value.get("b64")) {
        (Json::Text(text), _) => Ok(text.clone().into_bytes()),
        (_, Json::Text(coded)) => bytes_of_base64(coded).ok_or_else(|| Problem::fault("not base64")),
        _ => Err(Problem::fault(format!("expected a text, got {value}"))),
    }
}

fn bytes_of_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').bytes().map(|byte| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    });
    let (mut out, mut room, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        room = (room << 6) | digit?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((room >> bits) as u8);
            room &= (1 << bits) - 1;
        }
    }
    Some(out)
}

pub fn instant(ms: i64) -> SystemTime {
    let distance = Duration::from_millis(ms.unsigned_abs());
    if ms < 0 {
        UNIX_EPOCH - distance
    } else {
        UNIX_EPOCH + distance
    }
}

pub fn out_integer(value: impl Into<i128>) -> Json {
    let value = value.into();
    if (-EXACT..=EXACT).contains(&value) {
        Json::Number(value.to_string())
    } else {
        Json::Text(value.to_string())
    }
}

pub fn out_time(time: Option<SystemTime>) -> Json {
    let ms = time.map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_millis() as i128,
        Err(before) => -(before.duration().as_millis() as i128),
    });
    out_integer(ms)
}

pub fn out_real(value: f64) -> Json {
    match value {
        nan if nan.is_nan() => "NaN".into(),
        f64::INFINITY => "+Inf".into(),
        f64::NEG_INFINITY => "-Inf".into(),
        finite => Json::Number(format!("{finite:?}")),
    }
}
