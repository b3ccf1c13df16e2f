//! Tests how far boats are read ahead of their turn if findings about them fill the memory.

use std::sync::Arc;

use super::*;
use crate::finding::{ExportFile, Finding};
use crate::validate::consumer::Discard;

#[test]
fn lines_whose_findings_fill_the_memory_wait_for_their_turn() {
    const LISTED_MAX: usize = 1000;
    let numbers = vec!["1"; 2 * LISTED_MAX].join(",");
    let text = format!(r#"{{"kind":"boat","id":"boat-1","categories":[{numbers}]}}"#);
    let file = Arc::new(ExportFile {
        ordinal: 0,
        name: "-".to_owned(),
        path: String::new(),
    });
    let line = Line {
        file: &file,
        start: 1.into(),
        raw: text.as_bytes(),
        is_unterminated: false,
        made: None,
    };
    let ahead = ReadAhead {
        references: References::default(),
        listed_max: LISTED_MAX,
        ready: AtomicUsize::new(0),
    };
    // Each line keeps as many findings as are listed, and each finding takes at least its own size.
    let fitting = READY_MAX / (LISTED_MAX * size_of::<Finding>());
    let read = || ahead.read_if_fits::<Discard>(line);
    let readings: Vec<_> = std::iter::from_fn(read).take(fitting + 2).collect();
    assert!(readings.len() <= fitting + 1, "{}", readings.len());
    let sizes: usize = readings.iter().map(size::<Discard>).sum();
    assert!(READY_MAX <= sizes, "{sizes}");
    assert_eq!(ahead.ready.load(Ordering::Relaxed), sizes);
}
