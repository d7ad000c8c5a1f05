//! One https fetch with a CA file of its own, inside this program, and which OpenSSL it used.

use gputide::{Options, Source};
use gputide_checks::support::{again, now, prometheus_trigger, NOW_MS};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A peer that speaks TLS: openssl's, which leaves HTTP to its standard input and output.
struct Peer {
    program: Child,
    address: String,
}

impl Peer {
    fn new(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut program = Command::new("openssl")
            .args(["s_server", "-quiet", "-accept", &format!("127.0.0.1:{port}"), "-key"])
            .args([&folder.join("key.pem"), Path::new("-cert"), &folder.join("ca.pem")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl");
        let (mut answers, questions) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()));
        std::thread::spawn(move || {
            questions.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            let data =
                format!(r#"{{"resultType":"vector","result":[{{"metric":{{}},"value":[{},"42.5"]}}]}}"#, NOW_MS / 1000);
            let body = format!(r#"{{"status":"success","data":{data}}}"#);
            let _ = answers
                .write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
            let _ = answers.flush();
            std::thread::sleep(Duration::from_secs(5)); // the end of its input is the end of the peer
        });
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { program, address: format!("https://127.0.0.1:{port}") }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A folder with a certificate for 127.0.0.1 and its key.
fn certificate(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gputide-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout"])
        .args([&folder.join("key.pem"), Path::new("-out"), &folder.join("ca.pem")])
        .stderr(Stdio::null())
        .status();
    assert!(made.expect("openssl").success());
    folder
}

fn fetch(address: &str, ca_file: &Path) -> gputide::Result<Option<f64>> {
    let mut source = Source::open_with(prometheus_trigger(address), &Options::new().ca_file(ca_file))?;
    source.fetch(now(), Duration::from_secs(20)).map(|sample| sample.value())
}

#[test]
fn https_trusts_the_ca_file_and_nothing_else() {
    let folder = certificate("trust");
    let peer = Peer::new(&folder);
    assert_eq!(fetch(&peer.address, &folder.join("ca.pem")).unwrap(), Some(42.5));
    let peer = Peer::new(&folder);
    let error = fetch(&peer.address, Path::new("/etc/ssl/certs/ca-certificates.crt")).unwrap_err();
    assert!(error.message().contains("certificate"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "a part of another, in a process of its own"]
fn https_part() {
    let address = std::env::var("GPUTIDE_TEST_ADDRESS").unwrap();
    let ca_file = std::env::var_os("GPUTIDE_TEST_CA_FILE").unwrap();
    assert_eq!(fetch(&address, Path::new(&ca_file)).unwrap(), Some(42.5));
}

#[test]
fn https_binds_no_symbol_of_libcurl_or_libssl_to_the_program() {
    let folder = certificate("binding");
    let (peer, ca_file, log) = (Peer::new(&folder), folder.join("ca.pem"), folder.join("bindings"));
    let done = again(
        "https_part",
        &[
            ("GPUTIDE_TEST_ADDRESS", &peer.address),
            ("GPUTIDE_TEST_CA_FILE", ca_file.to_str().unwrap()),
            ("LD_DEBUG", "bindings"),
            ("LD_DEBUG_OUTPUT", log.to_str().unwrap()),
        ],
    );
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let program = std::env::current_exe().unwrap();
    let to_program = format!(" to {} [", program.display());
    let text: String = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("bindings.")))
        .map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned())
        .collect();
    assert_eq!(text.contains("libssl"), !cfg!(feature = "vendored"), "whether bindings of libssl are observation");
    let foreign = ["SSL_", "EVP_", "X509_", "BIO_", "curl_", "nghttp2_"];
    let wrong =
        |line: &&str| line.contains(&to_program) && foreign.iter().any(|name| line.contains(&format!("`{name}")));
    assert_eq!(text.lines().find(wrong), None);
    std::fs::remove_dir_all(folder).unwrap();
}
