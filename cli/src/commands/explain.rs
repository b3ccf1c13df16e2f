//! `catalogue explain`: how a server would respond to an address, and how it finds the response.
//!
//! No server is asked and no key is needed: the release is opened here and queried by the same code
//! that serves requests. A credential in the address is never repeated.

mod report;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, value_parser};
use percent_encoding::percent_decode_str;
use server::catalogue::{Catalogue, OpenSettings, QueueLimits};
use server::http::explain::{Explanation, explain};
use shared::release::{Release, Releases};

use super::release_name::ReleaseName;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::report::text;
use crate::serving::release_location::ReleaseLocation;
use crate::terminal::escape::escape_control;
use crate::terminal::redact::redact;

/// How long a list may take: all of its statements together, each of which runs three times.
const WORKING_MAX: Duration = Duration::from_secs(30);

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue explain '/v1/boats?search=oland&sort=length'
The status is the one for a key that has the endpoint's scopes and is within its limits. The exit \
status is 2 if the request is wrong, and 3 if the catalogue cannot answer it.")]
pub struct ExplainArgs {
    /// A path with its query, or a whole URL; in quotes, since a shell interprets ? and &
    #[arg(value_name = "ADDRESS")]
    pub address: String,
    /// The release to answer from: an id or a beginning of it, `current`, `previous` or `latest`
    /// [default: current]
    #[arg(long, value_name = "ID", value_parser = value_parser!(ReleaseName))]
    pub release: Option<ReleaseName>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Explains.
pub fn run(
    args: &ExplainArgs,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let address = path_and_query(&args.address)?;
    let (releases, release) = open(args, location, context)?;
    let settings = OpenSettings {
        connections: 1,
        // Bodies are read once, so they need not be kept in memory.
        bodies_memory_max: 0,
        queues: QueueLimits {
            working: WORKING_MAX,
            ..QueueLimits::default()
        },
    };
    let catalogue = Catalogue::open(&release, settings).context("could not open the release")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .context("could not start what asks the release")?;
    let catalogue = Arc::new(catalogue);
    let others = Arc::<dyn Releases>::from(releases).into();
    let explained = explain(&catalogue, others, address, &context.clock);
    let mut explanation = runtime.block_on(explained);
    explanation.address = without_key(explanation.address);
    let mut text = Vec::new();
    if args.json {
        serde_json::to_writer_pretty(&mut text, &explanation)?;
        text.push(b'\n');
    } else {
        let report = report::of(&explanation);
        text::write(&report, &context.hints, context.terminal, &mut text)?;
    }
    // It may contain anything that was typed.
    let text = String::from_utf8_lossy(&text);
    context.out.write_all(redact(&text).as_bytes())?;
    Ok(status(&explanation))
}

/// The address with any key in its path cut down to its prefix, however it is encoded. Done before
/// lines are wrapped, since a key that is broken across lines would not be recognised.
fn without_key(address: String) -> String {
    let decoded = percent_decode_str(&address).decode_utf8_lossy();
    match redact(&decoded) {
        cut if cut == decoded => address,
        cut => cut.into_owned(),
    }
}

/// The exit status, which differs for a wrong request and a failure of the catalogue.
fn status(explanation: &Explanation) -> ExitStatus {
    match explanation.status {
        200 => ExitStatus::Done,
        400..500 => ExitStatus::WrongUsage,
        _ => ExitStatus::Failure,
    }
}

/// The part of an address that a client would send: no scheme, no host, no fragment.
fn path_and_query(address: &str) -> anyhow::Result<&str> {
    let sent = address.split('#').next().unwrap_or_default();
    let lower = sent.to_ascii_lowercase();
    let scheme = ["http://", "https://"];
    let scheme = scheme.into_iter().find(|scheme| lower.starts_with(scheme));
    let below_host = match scheme {
        Some(scheme) => {
            let rest = &sent[scheme.len()..];
            let host = rest.find(['/', '?']).unwrap_or(rest.len());
            &rest[host..]
        }
        None => sent,
    };
    match below_host {
        "" if scheme.is_some() => Ok("/"),
        path if path.starts_with('/') => Ok(path),
        // The address is not repeated: it may be a key.
        _ => Err(Hinted::wrong_usage(
            anyhow::anyhow!("this is neither a path nor a URL of a server"),
            "begin with /, such as /v1/boats?limit=1, or with http://",
        )
        .into()),
    }
}

fn open(
    args: &ExplainArgs,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<(Box<dyn Releases>, Release)> {
    let releases = location.open(!args.json, context)?;
    let failed = "could not open the release";
    let id = match &args.release {
        Some(named) => Some(named.id(&*releases, failed)?),
        None => releases.current()?,
    };
    let id = id.with_context(|| {
        format!(
            "no release is active in {}; import one first: catalogue import EXPORT",
            escape_control(&location.to_string())
        )
    })?;
    let release = releases.open(&id).context(failed)?;
    Ok((releases, release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_url_only_what_is_sent_is_explained() {
        let table = [
            ("/v1/boats?limit=1", Some("/v1/boats?limit=1")),
            (
                "http://host/v1/boats?limit=1#top",
                Some("/v1/boats?limit=1"),
            ),
            ("HTTPS://me:secret@host:8443/v1?a=/b", Some("/v1?a=/b")),
            ("http://host", Some("/")),
            ("http://host#/v1", Some("/")),
            ("//host/v1", Some("//host/v1")),
            ("http://host?a=/b", None),
            ("v1/boats", None),
            ("", None),
            ("ftp://host/v1", None),
        ];
        for (typed, sent) in table {
            assert_eq!(path_and_query(typed).ok(), sent, "{typed}");
        }
    }
}
