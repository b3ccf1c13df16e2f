//! Who runs the command: the one place that asks the operating system.
//!
//! The result is only recorded in the audit log; it never grants a permission.

use nix::unistd::{Uid, User};
use shared::base::operator::Operator;
use shared::keys::name::Name;

/// Who runs this process. A name that is not safe to print is left out; the user id is always
/// there.
pub fn of_process() -> Operator {
    let uid = Uid::current();
    let user = User::from_uid(uid).ok().flatten();
    let sudo_user = std::env::var("SUDO_USER").ok();
    Operator {
        uid: uid.as_raw(),
        user: user.and_then(|user| Name::parse(&user.name).ok()),
        sudo_user: sudo_user.and_then(|name| Name::parse(&name).ok()),
    }
}
