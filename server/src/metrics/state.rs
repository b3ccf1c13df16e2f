//! What is so at the moment of the scrape: readiness, keys, caches, queues.

use std::sync::atomic::Ordering;

use shared::base::clock::Moment;

use super::families::{Families, float};
use crate::app::App;

pub(super) fn tell(app: &App, now: Moment, families: &mut Families) {
    tell_server(app, now, families);
    tell_keys(app, now, families);
    tell_list_cache(app, families);
    tell_compressed(app, families);
    tell_queues(app, families);
}

fn tell_server(app: &App, now: Moment, families: &mut Families) {
    families.info(
        "catalogue_server_info",
        "Version of the server, and which keys it accepts.",
        &[
            ("version", env!("CARGO_PKG_VERSION")),
            ("environment", app.environment.as_str()),
        ],
    );
    let readiness = app.readiness(now);
    let one_if = |is_so| if is_so { 1.0 } else { 0.0 };
    families.gauge(
        "catalogue_ready",
        "1 if the server is ready for requests, as /ready says, else 0.",
        one_if(readiness.is_ready()),
    );
    families.gauge(
        "catalogue_draining",
        "1 if the server is about to stop, else 0.",
        one_if(readiness.is_draining),
    );
    families.counter(
        "catalogue_log_lines_dropped_total",
        "Lines of the log that were not written: nobody read them in time, or the disk was full.",
        app.metrics.log_lines_dropped.load(Ordering::Relaxed),
    );
    families.counter(
        "catalogue_clock_jumps_total",
        "Times that the wall clock jumped forward or back by two seconds or more.",
        app.clock_watch.jumps(),
    );
}

fn tell_keys(app: &App, now: Moment, families: &mut Families) {
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

fn tell_list_cache(app: &App, families: &mut Families) {
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
        float(lists.entries),
    );
    families.gauge(
        "catalogue_list_cache_bytes",
        "Size of the remembered lists, at least 4 KiB each.",
        float(lists.bytes),
    );
}

fn tell_compressed(app: &App, families: &mut Families) {
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
        float(compressed.entries),
    );
    families.gauge(
        "catalogue_compressed_cache_bytes",
        "Size of the remembered compressed bodies, at least 1 KiB each.",
        float(compressed.bytes),
    );
}

fn tell_queues(app: &App, families: &mut Families) {
    let catalogue = app.catalogue();
    let queues = catalogue.queues().into_iter();
    let queues: Vec<_> = queues
        .chain([app.compressed.queue()])
        .map(|queue| (queue.what().replace(' ', "_"), queue.waiting()))
        .collect();
    families.gauges(
        "catalogue_queue_length",
        "Requests that wait for their turn, by what they want.",
        "queue",
        queues
            .iter()
            .map(|(what, waiting)| (what.as_str(), float(*waiting as u64))),
    );
}
