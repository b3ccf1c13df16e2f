//! What keeps a release from being pruned: a process that uses it, or is about to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;

use super::faults::FORBIDDEN;
use super::proxy::{Fate, Proxy};
use super::*;
use crate::base::clock::{Clock, ManualClock, SystemClock};
use crate::release::prune::Kept;
use crate::release::s3::published::file_name;

/// A day and more after now, by S3's clock, so that nothing is young.
fn tomorrow() -> i64 {
    SystemClock::new().now().unix_seconds() + 2 * 24 * 60 * 60
}

#[test]
#[ignore = "needs S3"]
fn a_release_that_was_marked_a_moment_ago_stays() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let ids = published_until(&here, 2);
    activate(&here, &ids[1]);
    here.published.renew_mark(&ids[0]).unwrap();
    let now = SystemClock::new().now().unix_seconds();
    assert_eq!(here.published.marked(now, true).unwrap().len(), 2);
    // The one that was served before is in use no more.
    here.published.renew_mark(&ids[1]).unwrap();
    assert_eq!(folder.list("in-use/").len(), 1);
    let kept = here.prune_dry_run(tomorrow()).unwrap().releases;
    let kept: Vec<_> = kept.iter().map(|one| one.kept).collect();
    assert_eq!(kept, [Some(Kept::Active), None]);
    // Older marks count no more, and go.
    assert_eq!(here.published.marked(tomorrow(), true).unwrap(), []);
    assert_eq!(folder.list("in-use/").len(), 0);
}

#[test]
#[ignore = "needs S3"]
fn objects_without_a_manifest_go_when_none_was_written_for_a_day() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let ids = published_until(&here, 2);
    activate(&here, &ids[1]);
    folder.remove(&file_name(&ids[0], MANIFEST));
    folder.put("releases/another/file", "x");
    let lock = here.lock().unwrap();
    let now = SystemClock::new().now().unix_seconds();
    assert!(here.prune(now, &lock).unwrap().leftovers.is_empty());
    let pruned = here.prune(tomorrow(), &lock).unwrap();
    assert_eq!(pruned.leftovers.len(), 1);
    assert!(0 < pruned.freed_bytes());
    assert!(folder.list(&file_name(&ids[0], "")).is_empty());
    assert_eq!(folder.list("releases/another/").len(), 1);
    here.verify(&ids[1]).unwrap();
}

#[test]
#[ignore = "needs S3"]
fn a_release_that_this_version_does_not_read_is_removed_like_any_other() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let ids = published_until(&here, 2);
    activate(&here, &ids[1]);
    let former = r#"{"format":"boat-release/2"}"#;
    folder.put(&file_name(&ids[0], MANIFEST), former);
    let pruned = here.prune(tomorrow(), &here.lock().unwrap()).unwrap();
    assert!(pruned.failures.is_empty(), "{:?}", pruned.failures);
    assert!(folder.list(&file_name(&ids[0], "")).is_empty());
    here.verify(&ids[1]).unwrap();
}

#[test]
#[ignore = "needs S3"]
fn a_mark_is_renewed_every_minute_also_where_the_clock_was_put_back() {
    let folder = Folder::new();
    let mut here = folder.machine("here");
    let id = published_until(&here, 1).remove(0);
    let clock = Arc::new(ManualClock::at(1_790_000_000));
    here.published.clock = Arc::<ManualClock>::clone(&clock);
    here.mark_in_use(&id).unwrap();
    let mark = folder.list("in-use/").remove(0);
    folder.remove(&mark);
    clock.jump_wall(-3600);
    for (seconds, is_renewed) in [(59, false), (1, true)] {
        clock.advance(Duration::from_secs(seconds));
        here.mark_in_use(&id).unwrap();
        assert_eq!(folder.list("in-use/").contains(&mark), is_renewed);
    }
}

#[test]
#[ignore = "needs S3"]
fn a_prune_with_a_clock_that_is_fast_removes_nothing_that_is_new() {
    let folder = Folder::new();
    let mut here = folder.machine("here");
    let ids = published_until(&here, 2);
    activate(&here, &ids[1]);
    here.mark_in_use(&ids[0]).unwrap();
    let marks = folder.list("in-use/");
    folder.remove(&file_name(&ids[0], MANIFEST));
    here.published.clock = Arc::new(ManualClock::at(tomorrow()));
    let lock = here.lock().unwrap();
    let pruned = here.prune(tomorrow(), &lock).unwrap();
    assert!(pruned.leftovers.is_empty());
    assert_eq!(folder.list("in-use/"), marks);
    assert!(folder.list("time/").is_empty());
}

#[test]
#[ignore = "needs S3"]
fn what_the_pointer_names_is_never_taken_for_left_behind() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let ids = published_until(&here, 2);
    for id in &ids {
        activate(&here, id);
        // As if a prune had been killed after it took the manifest away.
        folder.remove(&file_name(id, MANIFEST));
    }
    let lock = here.lock().unwrap();
    let before = folder.list("releases/");
    assert!(here.prune(tomorrow(), &lock).unwrap().leftovers.is_empty());
    folder.put("current", "damaged");
    assert!(here.prune(tomorrow(), &lock).unwrap().leftovers.is_empty());
    assert_eq!(folder.list("releases/"), before);
    drop(lock);
    // Importing it again makes it whole.
    let again = publish(&here, "2026-11-09T10:00:00Z", &["0", "1"]);
    assert_eq!(again.id, ids[1]);
    folder.machine("there").verify(&ids[1]).unwrap();
}

#[test]
#[ignore = "needs S3"]
fn a_manifest_that_is_needed_again_is_put_back_though_it_fails_at_first() {
    let folder = Folder::new();
    let ids = published_until(&folder.machine("here"), 2);
    activate(&folder.machine("here"), &ids[1]);
    let (mark, manifest) = (
        format!("in-use/{}/other", ids[0]),
        file_name(&ids[0], MANIFEST),
    );
    for used in folder.list("in-use/") {
        folder.remove(&used);
    }
    let other = folder.machine("other");
    let refusals = Arc::new(AtomicUsize::new(2));
    let left = Arc::clone(&refusals);
    let id = ids[0].clone();
    let proxy = Proxy::start(move |request| {
        let looks_for_marks = request.contains("in-use") && request.contains(id.as_str());
        if request.starts_with("GET ") && looks_for_marks {
            other.published.bucket.put(&mark, Bytes::new()).unwrap();
        }
        let puts_back = request.starts_with("PUT ") && request.contains(&manifest);
        let refuse = |left: usize| left.checked_sub(1);
        if puts_back
            && refusals
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, refuse)
                .is_ok()
        {
            Fate::Answered(FORBIDDEN)
        } else {
            Fate::Passed
        }
    });
    let pruning = folder.machine_with("pruning", &proxy.settings());
    let pruned = prune::prune(&pruning.published, &pruning.pointer, tomorrow(), true).unwrap();
    assert!(pruned.failures.is_empty());
    let kept: Vec<_> = pruned.releases.iter().map(|one| one.kept).collect();
    assert_eq!(kept, [Some(Kept::Active), Some(Kept::InUse)]);
    assert_eq!(left.load(Ordering::Relaxed), 0);
    folder.machine("there").verify(&ids[0]).unwrap();
}
