//! gputide-conformance: protocol 1 of docs/conformance.md over this crate's public functions.  One line in, one line out, until
//! the input ends.

use gputide_checks::conformance::{answer, hello};
use gputide_checks::json::Json;
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", hello()?)?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&Json::parse(&line?)?)?)?;
        out.flush()?;
    }
    Ok(())
}
