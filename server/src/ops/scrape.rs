//! Every metric of an app and of this process, for Prometheus: counters, and states at the moment
//! of the scrape.
//!
//! Labels are words of ours, names of subscriptions and ids of releases: never a path, a query or
//! a key.

mod quotas;

use shared::base::clock::Moment;
use shared::base::timestamp::Timestamp;

use crate::app::App;
use crate::metrics::{Families, process};

/// Every metric of `app` and of this process, in the text format of Prometheus, by name.
pub(crate) async fn text(app: &App) -> String {
    let now = app.clock.now();
    let mut families = Families::default();
    app.metrics.collect(&mut families);
    collect_server(app, now, &mut families);
    collect_release(app, &mut families);
    collect_keys(app, now, &mut families);
    app.minutes.collect(&mut families);
    collect_list_cache(app, &mut families);
    collect_compressed(app, &mut families);
    collect_queues(app, &mut families);
    quotas::collect(app, now, &mut families).await;
    process::collect(&mut families);
    families.text()
}

fn collect_server(app: &App, now: Moment, families: &mut Families) {
    let facts = [
        ("environment", app.environment.as_str()),
        ("version", env!("CARGO_PKG_VERSION")),
    ];
    families.gauges(
        "catalogue_server_info",
        "Version of the server, and which keys it accepts.",
        [(facts, 1)],
    );
    let readiness = app.readiness(now);
    families.gauge(
        "catalogue_ready",
        "1 if the server is ready for requests, as /ready says, else 0.",
        u8::from(readiness.is_ready()),
    );
    families.gauge(
        "catalogue_draining",
        "1 if the server is about to stop, else 0.",
        u8::from(readiness.is_draining),
    );
    families.counter(
        "catalogue_clock_jumps_total",
        "Times that the wall clock jumped forward or back by two seconds or more.",
        app.clock_watch.jumps(),
    );
}

fn collect_release(app: &App, families: &mut Families) {
    let catalogue = app.catalogue();
    families.gauges(
        "catalogue_release_info",
        "The release that is served.",
        [([("release", catalogue.release_id())], 1)],
    );
    // The manifest has it as text; an invalid time is no reason to leave out the rest.
    let published = Timestamp::parse(catalogue.published_at());
    let published = published.ok().as_ref().map(Timestamp::unix_seconds);
    families.gauges(
        "catalogue_release_published_timestamp_seconds",
        "When the release that is served was published, Unix time.",
        published.map(|published| ([], published)),
    );
    app.metrics
        .imports
        .collect(published.unwrap_or_default(), families);
    families.gauge(
        "catalogue_release_damaged",
        "1 if a body of the release that is served could not be read as it was verified, else 0.",
        u8::from(catalogue.is_damaged()),
    );
}

fn collect_keys(app: &App, now: Moment, families: &mut Families) {
    families.gauge(
        "catalogue_key_store_staleness_seconds",
        "Since when the key store was not confirmed to be as the server knows it. Above 1 every \
         key is refused with 503.",
        app.key_store_staleness(now).as_secs_f64(),
    );
    families.counter(
        "catalogue_key_store_poll_failures_total",
        "Times that the key store did not confirm what the server knows; it is asked five times a \
         second.",
        app.keyring.failures(),
    );
}

fn collect_list_cache(app: &App, families: &mut Families) {
    let lists = app.lists.figures();
    families.counter(
        "catalogue_list_cache_hits_total",
        "Lists that were answered as they were remembered.",
        lists.hits,
    );
    families.counter(
        "catalogue_list_cache_misses_total",
        "Lists that were not remembered, so that a query was asked.",
        lists.misses,
    );
    families.gauge(
        "catalogue_list_cache_entries",
        "Lists that are remembered, those of an earlier release included.",
        lists.entries,
    );
    families.gauge(
        "catalogue_list_cache_bytes",
        "Size of the remembered lists, at least 4 KiB each.",
        lists.bytes,
    );
}

fn collect_compressed(app: &App, families: &mut Families) {
    let compressed = app.compressed.figures();
    families.counter(
        "catalogue_compressed_cache_hits_total",
        "Compressed bodies that were remembered.",
        compressed.hits,
    );
    families.counter(
        "catalogue_compressed_cache_misses_total",
        "Compressed bodies that had to be compressed.",
        compressed.misses,
    );
    families.gauge(
        "catalogue_compressed_cache_entries",
        "Compressed bodies that are remembered.",
        compressed.entries,
    );
    families.gauge(
        "catalogue_compressed_cache_bytes",
        "Size of the remembered compressed bodies, at least 1 KiB each.",
        compressed.bytes,
    );
}

fn collect_queues(app: &App, families: &mut Families) {
    let catalogue = app.catalogue();
    let queues = catalogue.queues().into_iter();
    let queues: Vec<_> = queues
        .chain([app.comparisons.queue(), app.compressed.queue()])
        .map(|queue| (queue.what().replace(' ', "_"), queue.waiting()))
        .collect();
    families.gauges(
        "catalogue_queue_length",
        "Requests that wait for their turn, by what they want.",
        queues
            .iter()
            .map(|(what, waiting)| ([("queue", what.as_str())], *waiting)),
    );
}
