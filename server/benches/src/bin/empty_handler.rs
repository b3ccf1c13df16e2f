//! A server that does nothing: every request gets the same body and header fields.
//!
//! On Salvo, it measures the cost of the HTTP library, and so the highest throughput that the
//! service could reach on it. On hyper alone, on which Salvo is built, it shows the cost of Salvo
//! itself. It must stay empty: no routing, no lookup, no computation.
//!
//! ```text
//! empty_handler salvo|hyper BODY_FILE NAME=VALUE...
//! ```
//!
//! It prints the address that it listens on.

use std::convert::Infallible;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use salvo::conn::{Acceptor as _, TcpListener};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, ResBody};
use salvo::{Depot, FlowCtrl, Handler};
use salvo::{Listener as _, Request, Response, Router, Server, Service, async_trait};

/// The response to every request.
struct Answer {
    headers: HeaderMap,
    body: Bytes,
}

#[async_trait]
impl Handler for Answer {
    async fn handle(&self, _: &mut Request, _: &mut Depot, to: &mut Response, _: &mut FlowCtrl) {
        self.write_headers(to.headers_mut());
        to.body(ResBody::Once(self.body.clone()));
    }
}

impl Answer {
    fn read(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let file = arguments
            .next()
            .context("the file of the body is missing")?;
        let body = std::fs::read(&file).with_context(|| format!("could not read {file}"))?;
        let mut headers = HeaderMap::new();
        for field in arguments {
            let (name, value) = field.split_once('=').context("a field has no =")?;
            let name = HeaderName::try_from(name).context("no name of a field")?;
            headers.insert(name, HeaderValue::try_from(value)?);
        }
        Ok(Self {
            headers,
            body: body.into(),
        })
    }

    fn write_headers(&self, headers: &mut HeaderMap) {
        headers.reserve(self.headers.len());
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
    }
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let library = arguments.next().context("the library is missing")?;
    let answer = Answer::read(arguments)?;
    let runtime = tokio::runtime::Runtime::new().context("could not start the server")?;
    runtime.block_on(async {
        match library.as_str() {
            "salvo" => with_salvo(answer).await,
            "hyper" => with_hyper(answer).await,
            _ => anyhow::bail!("the library is salvo or hyper"),
        }
    })
}

async fn with_salvo(answer: Answer) -> anyhow::Result<()> {
    let listener = TcpListener::new("127.0.0.1:0");
    let acceptor = listener.try_bind().await.context("could not listen")?;
    let address = acceptor.holdings()[0].local_addr.to_string();
    say_where(address.trim_start_matches("socket://"))?;
    let service = Service::new(Router::with_path("{**path}").goal(answer));
    Server::new(acceptor).try_serve(service).await?;
    Ok(())
}

async fn with_hyper(answer: Answer) -> anyhow::Result<()> {
    let answer = Arc::new(answer);
    let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = listener.await.context("could not listen")?;
    say_where(&listener.local_addr()?.to_string())?;
    loop {
        let (stream, _) = listener.accept().await?;
        // As Salvo does: a response must not wait until the client has acknowledged the one before.
        stream.set_nodelay(true)?;
        let answer = Arc::clone(&answer);
        let service = service_fn(move |_request| {
            let mut response = hyper::Response::new(Full::new(answer.body.clone()));
            answer.write_headers(response.headers_mut());
            std::future::ready(Ok::<_, Infallible>(response))
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // A client that disconnects is not an error here.
        tokio::spawn(async { connection.await.ok() });
    }
}

fn say_where(address: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "listening on http://{address}").context("could not print the address")?;
    out.flush().context("could not print the address")
}
