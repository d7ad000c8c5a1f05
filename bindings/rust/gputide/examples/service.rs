//! An embedding service on tokio that scales itself: requests wait for a replica, GET /load says how many there are, and
//! gputide, which reads that page as any other metric, says how many replicas there should be.
//!
//! cargo run --features tokio --example service [SECONDS]
//!
//! Brings its own clients for so long (6), then waits until it is small again.  Prints each change of size; exit status 1
//! where the load was not followed up and down.

use gputide::{Observation, Runtime, RuntimeOptions};
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

const WORK: Duration = Duration::from_millis(100); // what one request costs a replica

fn manifest(address: SocketAddr) -> String {
    format!(
        r#"
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: embedder
  annotations: {{gputide.io/sync-period: 1s}}
spec:
  scaleTargetRef: {{name: embedder}}
  minReplicaCount: 1
  maxReplicaCount: 5
  pollingInterval: 1
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleDown: {{stabilizationWindowSeconds: 3, policies: [{{type: Pods, value: 2, periodSeconds: 1}}]}}
  triggers:
    - type: metrics-api
      metadata: {{url: "http://{address}/load", valueLocation: ongoing, targetValue: "4"}}
"#
    )
}

/// Replicas are permits: a request holds one while it is worked on.
struct Service {
    replicas: Arc<Semaphore>,
    ongoing: AtomicUsize,
    sizes: Mutex<Vec<i32>>,
}

impl Service {
    fn new() -> Self {
        Self { replicas: Arc::new(Semaphore::new(1)), ongoing: AtomicUsize::new(0), sizes: Mutex::new(vec![1]) }
    }

    fn size(&self) -> i32 {
        *self.sizes.lock().expect("sizes").last().expect("the first")
    }

    fn resize(&self, size: i32) -> bool {
        let change = size - self.size();
        if change > 0 {
            self.replicas.add_permits(change.unsigned_abs() as usize);
        } else {
            let leaving = Arc::clone(&self.replicas).acquire_many_owned(change.unsigned_abs());
            tokio::spawn(async { leaving.await.expect("a pool that is never closed").forget() });
        }
        self.sizes.lock().expect("sizes").push(size);
        true
    }

    async fn answer(&self, peer: TcpStream) -> std::io::Result<()> {
        let (mut peer, mut request, mut line) = (BufStream::new(peer), String::new(), String::new());
        peer.read_line(&mut request).await?;
        while peer.read_line(&mut line).await? > 2 {
            line.clear();
        }
        let (status, body) = match request.split(' ').take(2).collect::<Vec<_>>()[..] {
            ["POST", "/embed"] => ("200 OK", self.embed().await),
            ["GET", "/load"] => ("200 OK", format!("{{\"ongoing\":{}}}", self.ongoing.load(Ordering::SeqCst))),
            ["GET", "/sizes"] => ("200 OK", format!("{:?}", self.sizes.lock().expect("sizes"))),
            _ => ("404 Not Found", String::new()),
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        peer.write_all((head + &body).as_bytes()).await?;
        peer.flush().await
    }

    async fn embed(&self) -> String {
        self.ongoing.fetch_add(1, Ordering::SeqCst);
        let replica = self.replicas.acquire().await.expect("a pool that is never closed");
        tokio::time::sleep(WORK).await;
        drop(replica);
        self.ongoing.fetch_sub(1, Ordering::SeqCst);
        "[0.1,0.2,0.3]".to_owned()
    }
}

async fn serve(service: Arc<Service>, listener: TcpListener) -> std::io::Result<()> {
    loop {
        let (service, (peer, _)) = (Arc::clone(&service), listener.accept().await?);
        tokio::spawn(async move { service.answer(peer).await });
    }
}

async fn follow(runtime: Arc<Runtime>, service: Arc<Service>) -> gputide::Result<()> {
    let (began, mut events) = (Instant::now(), runtime.events_stream()?);
    while let Some(event) = events.next().await {
        let mut event = event?;
        if event.wants_write() {
            let applied = service.resize(event.desired());
            runtime.record(&mut event, applied)?;
            let ongoing = service.ongoing.load(Ordering::SeqCst);
            let seconds = began.elapsed().as_secs_f64();
            println!("{seconds:5.1} s  {} -> {}, {ongoing} requests", event.current(), event.desired());
        }
    }
    Ok(())
}

/// More than one replica can do, for a while.
async fn load(address: SocketAddr, duration: Duration) {
    let until = Instant::now() + duration;
    while Instant::now() < until {
        for _ in 0..3 {
            tokio::spawn(async move {
                let mut peer = TcpStream::connect(address).await?;
                peer.write_all(b"POST /embed HTTP/1.1\r\n\r\n").await?;
                peer.read_to_end(&mut Vec::new()).await
            });
        }
        tokio::time::sleep(WORK).await;
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let seconds: f64 = std::env::args().nth(1).map_or(Ok(6.0), |text| text.parse())?;
    let (service, listener) = (Arc::new(Service::new()), TcpListener::bind("127.0.0.1:0").await?);
    let address = listener.local_addr()?;
    tokio::spawn(serve(Arc::clone(&service), listener));
    let options = RuntimeOptions::new().start_spread(Duration::from_millis(200));
    let runtime = Arc::new(Runtime::with_options(&options)?);
    let scaler = runtime.add(manifest(address))?;
    runtime.observe(scaler, &Observation::now(service.size()))?;
    let following = tokio::spawn(follow(Arc::clone(&runtime), Arc::clone(&service)));
    load(address, Duration::from_secs_f64(seconds)).await;
    let deadline = Instant::now() + Duration::from_secs(60);
    while service.size() > 1 && Instant::now() < deadline {
        tokio::time::sleep(WORK).await;
    }
    runtime.close(Duration::from_secs(2))?;
    following.await??;
    let sizes = service.sizes.lock().expect("sizes");
    let (largest, last) = (sizes.iter().max().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    println!("largest {largest}, at last {last}");
    Ok(if largest >= 3 && last == 1 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
