//! The administration address: readiness, and everything else except the metrics themselves.

use salvo::http::{ReqBody, Request, uri::Scheme};
use salvo::hyper;
use server::ops::admin;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::answer::Answer;
use crate::app::{TestApp, Unusual, away};
use crate::disk;
use crate::exchanges::Exchanges;
use crate::wire::Client;

/// The response of an app's administration address.
pub(crate) async fn ask(app: &TestApp, method: &str, target: &str) -> Answer {
    let request = hyper::Request::builder()
        .method(method)
        .uri(target)
        .header("host", "test");
    let request = Request::from_hyper(request.body(ReqBody::None).unwrap(), Scheme::HTTP);
    let service = admin::service(Arc::clone(&app.app));
    Answer::of(service.handle(request).await).await
}

#[tokio::test]
async fn the_address_answers_as_recorded() {
    let (sound, stale, draining) = (TestApp::new(), TestApp::new(), TestApp::new());
    stale.lose_key_store();
    draining.app.begin_draining();
    let (_directory, _store, damaged) = disk::damaged("/v1/boats/b1").await;
    let alone = TestApp::with(Unusual {
        minutes: Some(away().await),
        ..Unusual::default()
    });
    let mut all = Exchanges::default();
    for (shown, app, target) in [
        ("ready", &sound, "/ready"),
        ("ready, with bodies that were damaged", &damaged, "/ready"),
        ("ready, and counting minute limits alone", &alone, "/ready"),
        ("no such path", &sound, "/other"),
        ("keys that cannot be confirmed", &stale, "/ready"),
        ("draining", &draining, "/ready"),
    ] {
        let answer = ask(app, "GET", target).await;
        all.put(shown, format!("GET {target}"), answer);
    }
    let answer = refused_over_the_total().await;
    all.put("a connection too many", "GET /ready".to_owned(), answer);
    all.check("admin", "The administration address.");
}

#[tokio::test]
async fn a_server_is_ready_while_its_keys_are_current_and_it_is_not_draining() {
    let app = TestApp::new();
    let is_ready = async || ask(&app, "GET", "/ready").await.status == 200;
    assert!(is_ready().await);
    app.lose_key_store();
    assert!(!is_ready().await);
    app.advance(std::time::Duration::ZERO);
    assert!(is_ready().await);
    app.app.begin_draining();
    assert!(!is_ready().await);
    let answer = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(answer.status, 200, "a draining server answers");
}

#[tokio::test]
async fn what_is_asked_for_in_another_way_is_refused() {
    let app = TestApp::new();
    for path in [
        "/",
        "/ready/",
        "/Ready",
        "/metrics/",
        "/health",
        "/v1/boats",
    ] {
        for method in ["GET", "POST"] {
            assert_eq!(ask(&app, method, path).await.status, 404, "{path}");
        }
    }
    for path in ["/ready", "/metrics"] {
        for method in ["POST", "DELETE", "OPTIONS"] {
            let answer = ask(&app, method, path).await;
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        }
        let [get, head] = [ask(&app, "GET", path).await, ask(&app, "HEAD", path).await];
        assert_eq!(get.status, head.status);
        assert_eq!(get.header("content-type"), head.header("content-type"));
        assert_eq!(get.header("cache-control"), Some("no-store"));
        let fields = get.headers.keys();
        for field in fields {
            assert!(!field.as_str().starts_with("access-control"), "{field}");
        }
    }
}

#[tokio::test]
async fn the_public_address_knows_none_of_it() {
    let app = TestApp::new();
    for path in ["/ready", "/metrics"] {
        assert_eq!(app.get(path).key("reader").send().await.status, 404);
    }
}

#[tokio::test]
async fn the_address_answers_until_it_is_told_to_stop_and_reads_heads_as_strictly() {
    let app = TestApp::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { stopped.await.unwrap() };
    let serving = tokio::spawn(admin::serve(Arc::clone(&app.app), listener, shutdown));
    let mut client = Client::connect(address).await;
    assert_eq!(client.get("/ready", &[]).await.status, 200);
    assert_eq!(client.get("/metrics", &[]).await.status, 200);
    let mut strict = Client::connect(address).await;
    let told = strict.send(b"GET /ready HTTP/1.1\n\n").await.unwrap();
    assert_eq!(told.status, 400, "{}", told.body);
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

/// The administration address of an app, with as many clients as it admits.
async fn full(app: &TestApp) -> (SocketAddr, JoinHandle<std::io::Result<()>>, Vec<Client>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = admin::serve(Arc::clone(&app.app), listener, std::future::pending());
    let serving = tokio::spawn(serving);
    let mut clients = Vec::new();
    for _ in 0..admin::CONNECTIONS_MAX {
        let mut client = Client::connect(address).await;
        assert_eq!(client.get("/ready", &[]).await.status, 200);
        clients.push(client);
    }
    (address, serving, clients)
}

/// The response to a connection over the limit.
async fn refused_over_the_total() -> Answer {
    let (address, serving, _clients) = full(&TestApp::new()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let mut received = String::new();
    connection.read_to_string(&mut received).await.unwrap();
    serving.abort();
    Answer::read(&received)
}

#[tokio::test]
async fn there_are_few_connections_and_they_are_none_of_the_public_address() {
    let (address, serving, mut clients) = full(&TestApp::new()).await;
    let refused = Client::connect(address).await.get("/ready", &[]).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    let metrics = clients[0].get("/metrics", &[]).await.body;
    for line in [
        "catalogue_connections{state=\"waiting\"} 0",
        "catalogue_limit_refusals_total{limit=\"connections\"} 0",
        "catalogue_http_requests_total{code=\"\",route=\"none\",status=\"200\"} 0",
    ] {
        assert!(metrics.contains(line), "{line} is not in:\n{metrics}");
    }
    serving.abort();
}
