//! Helpers of the tests: manifests, servers on loopback, programs of their own.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const NOW_MS: u64 = 1_795_255_200_000;

pub fn now() -> SystemTime {
    after_ms(0)
}

pub fn after_ms(ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(NOW_MS + ms)
}

/// The policy of examples/c/numbers.c under a name.
pub fn scaled_object(name: &str) -> String {
    with_trigger(name, r#"{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}"#)
}

pub fn with_trigger(name: &str, trigger: &str) -> String {
    format!(
        r#"{{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{{"name":"{name}"}},
            "spec":{{"scaleTargetRef":{{"name":"{name}"}},"minReplicaCount":1,"maxReplicaCount":20,"triggers":[{trigger}]}}}}"#
    )
}

pub fn prometheus_trigger(address: &str) -> String {
    format!(r#"{{"type":"prometheus","metadata":{{"serverAddress":"{address}","query":"load","threshold":"5"}}}}"#)
}

/// The crates' own folder, bindings/rust.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../bindings/rust"))
}

/// Accepts connections and never says a word.
pub struct SilentPeer(TcpListener);

impl SilentPeer {
    pub fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("a port"))
    }

    pub fn address(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("an address"))
    }
}

impl Default for SilentPeer {
    fn default() -> Self {
        Self::new()
    }
}

/// `/api/v1/query` on loopback: each query's value, which a test may change at any time.
pub struct Prometheus {
    pub address: String,
    values: Arc<Mutex<HashMap<String, f64>>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Prometheus {
    /// Whatever is asked has this value.
    pub fn new(value: f64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let values = Arc::new(Mutex::new(HashMap::from([(String::new(), value)])));
        let ends = Arc::new(AtomicBool::new(false));
        let (shared, end) = (Arc::clone(&values), Arc::clone(&ends));
        let thread = std::thread::spawn(move || {
            for peer in listener.incoming().flatten() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || answer(&peer, &shared));
            }
        });
        Self { address, values, ends, thread: Some(thread) }
    }

    /// A query that holds this word has that value.
    pub fn set(&self, word: &str, value: f64) {
        self.values.lock().expect("values").insert(word.to_owned(), value);
    }
}

fn answer(peer: &TcpStream, values: &Mutex<HashMap<String, f64>>) {
    let mut lines = BufReader::new(peer).lines().map_while(Result::ok);
    while let Some(request) = lines.next() {
        lines.by_ref().take_while(|line| !line.is_empty()).for_each(drop);
        let value = {
            let values = values.lock().expect("values");
            let named = values.iter().find(|(word, _)| !word.is_empty() && request.contains(word.as_str()));
            named.map_or_else(|| values[""], |(_, value)| *value)
        };
        let body = format!(
            r#"{{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{}},"value":[{},"{value}"]}}]}}}}"#,
            NOW_MS / 1000
        );
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        if (&*peer).write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// This test's own program again, for one of its parts: what a process is like at its end, or without a library.
pub fn again(part: &str, environment: &[(&str, &str)]) -> Output {
    let program = std::env::current_exe().expect("this program");
    Command::new(program)
        .args(["--exact", part, "--ignored", "--nocapture", "--test-threads=1"])
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("a program")
}

pub fn resident_kib() -> usize {
    let mut status = String::new();
    std::fs::File::open("/proc/self/status").and_then(|mut file| file.read_to_string(&mut status)).expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}
