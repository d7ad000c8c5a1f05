//! JSON, as much of it as the protocol and the tests need.  Numbers stay the texts that they are: 64-bit integers are not cut.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

pub static NULL: Json = Json::Null;

impl Json {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value()?;
        reader.space();
        if reader.at == text.len() {
            Ok(value)
        } else {
            Err(reader.wrong("the end"))
        }
    }

    /// A member; null where it is absent.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map_or(&NULL, |(_, value)| value),
            _ => &NULL,
        }
    }

    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    pub fn items(&self) -> &[Json] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number as any type that its digits fit.
    pub fn number<T: std::str::FromStr>(&self) -> Option<T> {
        match self {
            Self::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Json {
    fn from(value: i32) -> Self {
        Self::Number(value.to_string())
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::Number(value.to_string())
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

/// An object of these members.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Number(digits) => out.write_str(digits),
            Self::Text(text) => quoted(out, text),
            Self::List(items) => {
                out.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(out, "{}{item}", if index > 0 { "," } else { "" })?;
                }
                out.write_str("]")
            }
            Self::Object(members) => {
                out.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    out.write_str(if index > 0 { "," } else { "" })?;
                    quoted(out, name)?;
                    write!(out, ":{value}")?;
                }
                out.write_str("}")
            }
        }
    }
}

fn quoted(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            control if control < ' ' => write!(out, "\\u{:04x}", u32::from(control))?,
            plain => write!(out, "{plain}")?,
        }
    }
    out.write_str("\"")
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, expected: &str) -> String {
        format!("JSON: expected {expected} at byte {} of {:.80}", self.at, self.text)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, word: &str) -> bool {
        let there = self.text[self.at..].starts_with(word);
        self.at += if there { word.len() } else { 0 };
        there
    }

    fn value(&mut self) -> Result<Json, String> {
        self.space();
        match self.peek() {
            Some(b'{') => self.members(),
            Some(b'[') => self.list(),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => Ok(self.digits()),
            _ if self.takes("true") => Ok(Json::Bool(true)),
            _ if self.takes("false") => Ok(Json::Bool(false)),
            _ if self.takes("null") => Ok(Json::Null),
            _ => Err(self.wrong("a value")),
        }
    }

    fn digits(&mut self) -> Json {
        let begin = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        Json::Number(self.text[begin..self.at].to_owned())
    }

    fn list(&mut self) -> Result<Json, String> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.takes("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            self.space();
            if self.takes("]") {
                return Ok(Json::List(items));
            }
            if !self.takes(",") {
                return Err(self.wrong(", or ]"));
            }
        }
    }

    fn members(&mut self) -> Result<Json, String> {
        let mut members = Vec::new();
        self.at += 1;
        self.space();
        if self.takes("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            if !self.takes(":") {
                return Err(self.wrong(":"));
            }
            members.push((name, self.value()?));
            self.space();
            if self.takes("}") {
                return Ok(Json::Object(members));
            }
            if !self.takes(",") {
                return Err(self.wrong(", or }"));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.takes("\"") {
            return Err(self.wrong("a text"));
        }
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(['"', '\\']).ok_or_else(|| self.wrong("the end of a text"))?;
            out.push_str(&rest[..end]);
            self.at += end;
            if self.takes("\"") {
                return Ok(out);
            }
            self.at += 1;
            out.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let kind = self.peek().ok_or_else(|| self.wrong("an escape"))?;
        self.at += 1;
        Ok(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                let code = if (0xD800..0xDC00).contains(&high) && self.takes("\\u") {
                    0x1_0000 + ((high - 0xD800) << 10) + (self.hex()?.wrapping_sub(0xDC00) & 0x3FF)
                } else {
                    high
                };
                char::from_u32(code).ok_or_else(|| self.wrong("no lone surrogate"))?
            }
            _ => return Err(self.wrong("an escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.wrong("four digits"))?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| self.wrong("four digits"))?;
        self.at += 4;
        Ok(code)
    }
}
