//! What the watch makes of the memory that a record takes, and of a thread that is gone.

use std::cell::Cell;

use super::*;
use crate::mapping::{Mapping, Shipped};

thread_local! {
    static RESIDENT: Cell<Option<usize>> = const { Cell::new(Some(1 << 20)) };
}

fn worker() -> Worker {
    let mapping = Mapping::parse("a.toml".to_owned(), Shipped::Sanity.text().to_owned()).unwrap();
    let temp_dir = std::env::temp_dir();
    Worker::start(mapping.definition, &temp_dir, || RESIDENT.get()).unwrap()
}

#[test]
fn a_record_may_take_so_much_memory_and_no_more_whatever_those_before_took() {
    let (worker, mut seen) = (worker(), Seen::default());
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
        worker.position.begun.store(begun, Ordering::Relaxed);
        RESIDENT.set(Some(resident));
        let looked = worker.look(&mut seen);
        assert_eq!(looked.is_ok(), is_allowed, "{begun} {resident}");
        if let Err(error) = looked {
            let said = error.to_string();
            assert!(said.contains("more than 1024 MiB of memory"), "{said}");
        }
    }
}

#[test]
fn where_memory_is_not_known_only_time_is_watched() {
    let (worker, mut seen) = (worker(), Seen::default());
    worker.position.begun.store(1, Ordering::Relaxed);
    RESIDENT.set(None);
    let ticks_max = RECORD_TIME_MAX.as_millis() / TICK.as_millis();
    for _tick in 1..ticks_max {
        worker.look(&mut seen).unwrap();
    }
    let said = worker.look(&mut seen).unwrap_err().to_string();
    assert!(said.contains("took longer than 5 s"), "{said}");
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
