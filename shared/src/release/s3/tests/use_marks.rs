//! What keeps a release from being pruned: that somebody uses it, or is about to.

use super::*;
use crate::clock::{Clock, SystemClock};
use crate::release::prune::Kept;

/// A day and more after now, as S3 tells it, so that nothing is young.
fn tomorrow() -> i64 {
    SystemClock::new().now().unix_seconds() + 2 * 24 * 60 * 60
}

#[test]
fn a_release_that_somebody_marked_a_moment_ago_stays() {
    let Some(folder) = Folder::new() else { return };
    let here = folder.machine("here");
    let ids = published_until(&here, 2);
    activate(&here, &ids[1]);
    here.renew_mark(&ids[0], 0).unwrap();
    let now = SystemClock::new().now().unix_seconds();
    assert_eq!(here.marked(now, true).unwrap().len(), 2);
    // The one that was served before is in use no more.
    here.renew_mark(&ids[1], 1).unwrap();
    assert_eq!(folder.list("in-use/").len(), 1);
    let kept = here.foresee_prune(tomorrow()).unwrap().releases;
    let kept: Vec<_> = kept.iter().map(|one| one.kept).collect();
    assert_eq!(kept, [Some(Kept::Active), None]);
    // Older marks count no more, and go.
    assert_eq!(here.marked(tomorrow(), true).unwrap(), []);
    assert_eq!(folder.list("in-use/").len(), 0);
}

#[test]
fn objects_without_a_manifest_go_when_nobody_wrote_any_for_a_day() {
    let Some(folder) = Folder::new() else { return };
    let here = folder.machine("here");
    let ids = published_until(&here, 2);
    activate(&here, &ids[1]);
    folder.remove(&file_name(&ids[0], MANIFEST));
    folder.put("releases/somebody-elses/file", "x");
    let lock = here.lock().unwrap();
    let now = SystemClock::new().now().unix_seconds();
    assert!(here.prune(now, &lock).unwrap().leftovers.is_empty());
    let pruned = here.prune(tomorrow(), &lock).unwrap();
    assert_eq!(pruned.leftovers.len(), 1);
    assert!(0 < pruned.freed_bytes());
    assert!(folder.list(&file_name(&ids[0], "")).is_empty());
    assert_eq!(folder.list("releases/somebody-elses/").len(), 1);
    here.verify(&ids[1]).unwrap();
}
