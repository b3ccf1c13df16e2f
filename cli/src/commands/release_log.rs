//! The log of releases as commands use it: what they enter, and whether it lacks something.

use shared::keys::audit::Operator;
use shared::keys::name::Name;
use shared::release::ReleaseId;
use shared::release::log::{Attempt, Author, Command, LogPart};

use crate::process::context::Context;

/// A command that is about to change releases.
pub(super) fn attempt(command: Command, context: &Context) -> Attempt {
    let Operator {
        uid,
        user,
        sudo_user,
    } = &context.operator;
    let text = |name: &Option<Name>| name.as_ref().map(ToString::to_string);
    let author = Author {
        user: text(user),
        uid: *uid,
        sudo_user: text(sudo_user),
    };
    Attempt::new(command, author, context.clock.now().unix_seconds())
}

/// An author, as the log of keys shows an operator. A name that is not safe to print counts as
/// none.
pub(super) fn operator(author: &Author) -> Operator {
    let name = |text: &Option<String>| text.as_deref().and_then(|text| Name::parse(text).ok());
    Operator {
        uid: author.uid,
        user: name(&author.user),
        sudo_user: name(&author.sudo_user),
    }
}

/// That something else is active than was activated last by the log.
pub(super) fn gap(part: &LogPart, active: &ReleaseId) -> Option<String> {
    let activated = part.activated.as_ref()?;
    (activated != active).then(|| {
        format!(
            "release {active} is active, and the last activation in the log is that of \
             {activated}: the command was killed, or another version of it keeps no log"
        )
    })
}
