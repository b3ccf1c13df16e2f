//! Finds the list of records in a JSON document, from the beginning of the document.

use std::io;
use std::path::Path;

use jiter::{Jiter, JiterResult, Peek};

use crate::mapping::in_path;
use crate::source::{self, Export, Incoming, Plan, ReadContext};

/// How much of a document is looked at, in bytes.
const HEAD_BYTES: u64 = 256 * 1024;
/// How many levels deep lists are looked for.
const DEPTH_MAX: usize = 6;
/// Words in names of lists that probably contain boats.
const BOATS: [&str; 6] = ["boat", "yacht", "vessel", "model", "product", "item"];

/// The paths of the lists in the first document, as mappings write them, the likeliest first. Empty
/// if the whole document is a list.
pub(super) fn find(exports: &[Export], temp_dir: &Path) -> anyhow::Result<Vec<String>> {
    let plan = Plan::beginnings(HEAD_BYTES);
    let context = ReadContext {
        temp_dir,
        progress: &(),
    };
    let mut paths = Vec::new();
    source::read(exports, &mut io::empty(), context, &plan, &mut |incoming| {
        if let Incoming::Head(_, head) = incoming
            && paths.is_empty()
        {
            paths = lists(head);
        }
        Ok(())
    })?;
    Ok(paths)
}

fn lists(head: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    // A document longer than [`HEAD_BYTES`] is cut, so reading it ends in an error.
    _ = search(&mut Jiter::new(head), &mut Vec::new(), &mut found);
    let is_likely = |path: &String| BOATS.iter().any(|word| path.to_lowercase().contains(word));
    found.sort_by_key(|path| !is_likely(path));
    found
}

/// Looks for lists of objects in the value at a path. Of each list only the first member is looked
/// at, and not within.
fn search(
    json: &mut Jiter<'_>,
    path: &mut Vec<String>,
    found: &mut Vec<String>,
) -> JiterResult<()> {
    let peek = json.peek()?;
    match peek {
        Peek::Object if path.len() < DEPTH_MAX => {
            let owned = |key: &str| in_path(key).into_owned();
            let mut key = json.known_object()?.map(owned);
            while let Some(name) = key {
                path.push(name);
                search(json, path, found)?;
                path.pop();
                key = json.next_key()?.map(owned);
            }
            Ok(())
        }
        Peek::Array => {
            let mut member = json.known_array()?;
            if member == Some(Peek::Object) && !path.is_empty() {
                found.push(path.join("."));
            }
            while let Some(peek) = member {
                json.known_skip(peek)?;
                member = json.array_step()?;
            }
            Ok(())
        }
        _ => json.known_skip(peek),
    }
}
