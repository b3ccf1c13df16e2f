//! Finds folders in which each file of JSON is one record, or a page of one list.
//!
//! Such files have about the same keys, and together more fields of boats than any list in them.

use std::collections::BTreeSet;
use std::path::Path;

use super::survey::{Survey, Surveyed, survey};
use super::{boats, fields_of, names_of, plain_name, plan_like};
use crate::finding::listed;
use crate::mapping::Recognised;
use crate::source::{Export, Layout, Plan};

/// Files of one record each, or of one list.
pub(super) struct OneEach {
    /// The pattern for their paths.
    pub(super) pattern: String,
    /// All of them, as if they were one.
    pub(super) survey: Survey,
    pub(super) plan: Plan,
    /// What messages call them.
    pub(super) name: String,
}

/// The files beside the recognised one, if each is a record. `lists` is what lists in them hold, if
/// there are such.
pub(super) fn find(
    recognised: &Recognised,
    layout: Layout,
    lists: Option<&Survey>,
    exports: &[Export],
    temp_dir: &Path,
) -> anyhow::Result<Option<OneEach>> {
    let plan = plan_like(&recognised.path, layout.clone());
    let apart = survey(exports, &plan, &|_| true, false, temp_dir)?.files;
    let likeliest = boats(&apart).map_or(&recognised.path, |file| &file.path);
    let folder = folder_of(likeliest);
    let beside = apart.iter().filter(|file| folder_of(&file.path) == folder);
    let beside: Vec<&Surveyed> = beside.collect();
    if beside.len() < 2
        || !beside
            .iter()
            .all(|file| file.records == 1 && are_alike(beside[0], file))
    {
        return Ok(None);
    }
    let pattern = if folder.is_empty() || beside.len() == apart.len() {
        "**/*.json".to_owned()
    } else {
        format!("**/{}/*.json", globset::escape(folder))
    };
    let plan = Plan::of(names_of(pattern.clone()), layout);
    let survey = survey(exports, &plan, &|_| true, true, temp_dir)?;
    let fields = |survey: &Survey| boats(&survey.files).map_or(0, fields_of);
    if lists.is_some_and(|lists| fields(&survey) <= fields(lists)) {
        return Ok(None);
    }
    let names = beside.iter().map(|file| file.name.clone());
    let name = listed(names, 1);
    Ok(Some(OneEach {
        pattern,
        survey,
        plan,
        name,
    }))
}

/// The pages of the list in the likeliest file, if there are several, as `p1.json` and `p2.json`:
/// all that are called so have records that are alike.
pub(super) fn pages(
    surveyed: &Survey,
    layout: Layout,
    exports: &[Export],
    temp_dir: &Path,
) -> anyhow::Result<Option<OneEach>> {
    let Some(first) = boats(&surveyed.files) else {
        return Ok(None);
    };
    let pieces = plain_name(&first.path).split(|c: char| c.is_ascii_digit());
    let pieces: Vec<String> = pieces
        .filter(|piece| !piece.is_empty())
        .map(globset::escape)
        .collect();
    let pattern = format!("**/{}", pieces.join("*"));
    let names = names_of(pattern.clone());
    let pages = surveyed
        .files
        .iter()
        .filter(|file| names.are_of(&file.path));
    let pages: Vec<&Surveyed> = pages.collect();
    if pieces.len() < 2 || pages.len() < 2 || !pages.iter().all(|page| are_alike(first, page)) {
        return Ok(None);
    }
    let plan = Plan::of(names, layout);
    let survey = survey(exports, &plan, &|_| true, true, temp_dir)?;
    let name = listed(pages.iter().map(|page| page.name.clone()), 1);
    Ok(Some(OneEach {
        pattern,
        survey,
        plan,
        name,
    }))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether two files have more keys in common than not.
fn are_alike(one: &Surveyed, other: &Surveyed) -> bool {
    let keys = |file: &Surveyed| -> BTreeSet<String> {
        file.keys.iter().map(|key| key.path.clone()).collect()
    };
    let (one, other) = (keys(one), keys(other));
    let (common, all) = (one.intersection(&other).count(), one.union(&other).count());
    all < 2 * common
}
