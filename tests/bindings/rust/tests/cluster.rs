//! Access to a cluster without a runtime: its lists, its diagnosis, the size of a node pool.

use gputide::{doctor_cluster, hand_over, list_cluster, plan_nodes, Credential, ErrorKind, Options};
use gputide_checks::support::now;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

/// One node on each of two pages; a ScaledObject of KEDA's, and no HPA.
fn answer(mut to: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(to.try_clone()?).lines();
    while let Some(asked) = lines.next().transpose()? {
        while lines.next().transpose()?.is_some_and(|header| !header.is_empty()) {}
        let (name, token) = if asked.contains("continue=2") { ("two", "") } else { ("first", r#""continue":"2""#) };
        let mut body = format!(
            r#"{{"kind":"NodeList","metadata":{{{token}}},"items":[{{"metadata":{{"name":"{name}"}},
                "status":{{"allocatable":{{"cpu":"4","memory":"8Gi","pods":"110"}}}}}}]}}"#
        );
        if asked.contains("/scaledobjects/llm") {
            body = r#"{"kind":"ScaledObject","apiVersion":"keda.sh/v1alpha1","metadata":{"name":"llm","namespace":"ml",
                "resourceVersion":"7","finalizers":["finalizer.keda.sh"]}}"#
                .to_owned();
        } else if asked.contains("/horizontalpodautoscalers") {
            body = r#"{"kind":"HorizontalPodAutoscalerList","apiVersion":"autoscaling/v2","metadata":{},"items":[]}"#
                .to_owned();
        }
        write!(to, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    }
    Ok(())
}

/// The address of a server on loopback; its thread ends with the program.
fn api_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    format!("http://{address}")
}

fn kubeconfig(name: &str, address: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("gputide-kubeconfig-{name}-{}", std::process::id()));
    let text = format!(
        r#"{{"apiVersion":"v1","kind":"Config","current-context":"c",
            "contexts":[{{"name":"c","context":{{"cluster":"c","user":"u"}}}}],
            "clusters":[{{"name":"c","cluster":{{"server":"{address}"}}}}],
            "users":[{{"name":"u","user":{{"token":"t"}}}}]}}"#
    );
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn the_pages_of_a_cluster_become_a_plan() {
    let path = kubeconfig("lists", &api_server());
    let options = Options::new().kubeconfig(&path);
    let lists = list_cluster("/api/v1/nodes", &options, PATIENCE).unwrap();
    std::fs::remove_file(path).unwrap();
    let plan = plan_nodes(&lists, None, now()).unwrap();
    assert!(plan.json.contains(r#""name":"first""#) && plan.json.contains(r#""name":"two""#), "{}", plan.json);
    assert_eq!(list_cluster("/healthz", &options, PATIENCE).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn the_doctor_names_an_api_server_that_is_not_there() {
    let path = kubeconfig("doctor", "http://127.0.0.1:9");
    let options = Options::new().kubeconfig(&path);
    let found = doctor_cluster("{namespaces: [ml], lease: {namespace: ml}}", &options, PATIENCE).unwrap();
    let refused = doctor_cluster("nope: 1", &options, PATIENCE).unwrap_err();
    std::fs::remove_file(path).unwrap();
    assert!(found.lines.starts_with("http://127.0.0.1:9: fails at step endpoint"), "{}", found.lines);
    assert!(found.report.contains(r#""namespace":"ml","shadow":false,"verdict":"failed""#), "{}", found.report);
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

#[test]
fn a_handover_that_is_dry_says_what_it_would_do() {
    let path = kubeconfig("handover", &api_server());
    let options = Options::new().kubeconfig(&path);
    let outcome = hand_over(r#"{"namespace":"ml","name":"llm","to":"gputide"}"#, &options, PATIENCE).unwrap();
    let refused = hand_over(r#"{"name":"llm"}"#, &options, PATIENCE).unwrap_err();
    std::fs::remove_file(path).unwrap();
    assert!(outcome.contains(r#""result":"planned""#), "{outcome}");
    assert!(outcome.contains(r#"{"step":"pause","state":"planned""#), "{outcome}");
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

#[test]
fn an_agent_pool_of_no_cluster_is_refused() {
    let options = Options::new().allowed_programs(["az"]);
    let credential = Credential::open_with("provider: azure-cli", &options).unwrap();
    let refused = credential.write_agent_pool(r#"{"cluster":"aks","pool":"gpunp"}"#, PATIENCE).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}
