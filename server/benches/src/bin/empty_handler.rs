//! A server that does nothing: every request gets the same body and header fields.
//!
//! It is what the HTTP library costs, and so the most that the service could reach on top of it.
//! It must stay as empty as it is: no routing, no look-up, nothing computed.
//!
//! ```text
//! empty_handler BODY_FILE NAME=VALUE...
//! ```
//!
//! It says on standard output where it listens.

use std::io::Write as _;

use anyhow::Context as _;
use bytes::Bytes;
use salvo::conn::{Acceptor as _, TcpListener};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, ResBody};
use salvo::{Depot, FlowCtrl, Handler};
use salvo::{Listener as _, Request, Response, Router, Server, Service, async_trait};

/// The answer to everything.
struct Answer {
    headers: HeaderMap,
    body: Bytes,
}

#[async_trait]
impl Handler for Answer {
    async fn handle(&self, _: &mut Request, _: &mut Depot, to: &mut Response, _: &mut FlowCtrl) {
        let headers = to.headers_mut();
        headers.reserve(self.headers.len());
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
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
}

fn main() -> anyhow::Result<()> {
    let answer = Answer::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Runtime::new().context("could not start the server")?;
    runtime.block_on(async {
        let listener = TcpListener::new("127.0.0.1:0");
        let acceptor = listener.try_bind().await.context("could not listen")?;
        let address = acceptor.holdings()[0].local_addr.to_string();
        let address = address.trim_start_matches("socket://");
        let mut out = std::io::stdout();
        writeln!(out, "listening on http://{address}").context("could not say where")?;
        out.flush().context("could not say where")?;
        let service = Service::new(Router::with_path("{**path}").goal(answer));
        Server::new(acceptor).try_serve(service).await?;
        Ok(())
    })
}
