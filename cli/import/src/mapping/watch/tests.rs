//! Tests of how the watch judges memory use, and of a thread that is gone.

use std::cell::Cell;

use super::*;
use crate::finding::ExportFile;
use crate::mapping::{Mapping, Shipped};

thread_local! {
    static RESIDENT: Cell<Option<usize>> = const { Cell::new(Some(1 << 20)) };
}

fn watch_over(threads: usize) -> Watch {
    let mapping = Mapping::parse("a.toml".to_owned(), Shipped::Sanity.text().to_owned()).unwrap();
    let mut watch = Watch::new(&mapping.definition, || RESIDENT.get());
    for _thread in 0..threads {
        watch.add();
    }
    watch
}

/// Puts a thread at its record number `begun`; 0 means no record.
fn set_begun(thread: &Watched, begun: u64) {
    let position = &thread.position;
    position.begun.store(begun, Ordering::Relaxed);
    position.is_busy.store(0 < begun, Ordering::Relaxed);
    let file = Arc::new(ExportFile {
        ordinal: 0,
        name: "a.json".to_owned(),
        path: String::new(),
    });
    *position.place.lock() = Some((file, begun));
}

#[test]
fn a_record_may_take_so_much_memory_and_no_more_whatever_those_before_took() {
    let mut watch = watch_over(1);
    for (begun, resident, is_allowed) in [
        (0, 0, true),
        (0, 2 * MEMORY_MAX, true),
        (1, 100, true),
        (1, 100 + MEMORY_MAX, true),
        (2, 101 + MEMORY_MAX, true),
        (2, 50, true),
        (2, 101 + 2 * MEMORY_MAX, true),
        (2, 102 + 2 * MEMORY_MAX, false),
    ] {
        set_begun(&watch.threads[0], begun);
        RESIDENT.set(Some(resident));
        let looked = watch.look();
        assert_eq!(looked.is_ok(), is_allowed, "{begun} {resident}");
        if let Err(error) = looked {
            let message = error.to_string();
            assert!(
                message.contains("more than 1024 MiB of memory"),
                "{message}"
            );
        }
    }
}

#[test]
fn of_records_that_are_mapped_at_once_the_one_is_named_that_takes_the_memory() {
    let mut watch = watch_over(2);
    let is_held = |watch: &Watch| watch.is_held.load(Ordering::Relaxed);
    for (begun, resident, held) in [
        // The first keeps starting new records, so the memory of the second is not blamed on it.
        ([1, 7], 100, false),
        ([2, 7], MEMORY_MAX, false),
        // No other record is begun until the first thread has finished its record.
        ([2, 7], 101 + MEMORY_MAX, true),
    ] {
        for (thread, begun) in watch.threads.iter().zip(begun) {
            set_begun(thread, begun);
        }
        RESIDENT.set(Some(resident));
        watch.look().unwrap();
        assert_eq!(is_held(&watch), held, "{begun:?}");
    }
    set_begun(&watch.threads[0], 0);
    let message = watch.look().unwrap_err().to_string();
    assert!(
        message.contains("the record at a.json:7 takes more"),
        "{message}"
    );
}

#[test]
fn records_that_were_held_up_go_on_once_the_memory_is_free_again() {
    let mut watch = watch_over(2);
    for (resident, held) in [(100, false), (101 + MEMORY_MAX, true), (200, false)] {
        watch.threads.iter().for_each(|thread| set_begun(thread, 1));
        RESIDENT.set(Some(resident));
        watch.look().unwrap();
        assert_eq!(watch.is_held.load(Ordering::Relaxed), held, "{resident}");
    }
}

#[test]
fn records_that_take_too_much_together_are_not_waited_for_without_end() {
    let mut watch = watch_over(2);
    for (thread, begun) in watch.threads.iter().zip([3, 4]) {
        set_begun(thread, begun);
    }
    for (resident, is_allowed) in [
        (0, true),
        (2 * MEMORY_MAX, true),
        (2 * MEMORY_MAX + 1, false),
    ] {
        RESIDENT.set(Some(resident));
        assert_eq!(watch.look().is_ok(), is_allowed, "{resident}");
    }
}

#[test]
fn where_memory_is_not_known_only_time_is_watched() {
    let mut watch = watch_over(2);
    set_begun(&watch.threads[1], 1);
    RESIDENT.set(None);
    let ticks_max = RECORD_TIME_MAX.as_millis() / TICK.as_millis();
    for _tick in 1..ticks_max {
        watch.look().unwrap();
    }
    let message = watch.look().unwrap_err().to_string();
    assert!(
        message.contains("the record at a.json:1 took longer than 5 s"),
        "{message}"
    );
}

#[test]
fn an_expression_may_be_as_long_as_a_mapping_can_be() {
    for (link, last) in [
        ("1 + ", "1"),
        (". | ", "."),
        ("- ", "1"),
        ("1 as $x | ", "1"),
    ] {
        let chain = format!("'{}{last}'", link.repeat(10_000));
        let text = Shipped::Sanity.text().replace("\".loa\"", &chain);
        Mapping::parse("a.toml".to_owned(), text).unwrap();
    }
}
