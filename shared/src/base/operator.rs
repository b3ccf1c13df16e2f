//! The user who runs a command, as the logs of keys and of releases have it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::base::name::Name;

/// The user who runs a command, by the operating system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operator {
    /// The user's name, where the number has one.
    #[serde(default, deserialize_with = "printable")]
    pub user: Option<Name>,
    /// The number of the user.
    pub uid: u32,
    /// Who became this user with `sudo`. Any user can set this environment variable, so the number
    /// is kept beside it.
    #[serde(default, deserialize_with = "printable")]
    pub sudo_user: Option<Name>,
}

/// A name in a log. One that is not safe to print is left out.
fn printable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Name>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| Name::parse(&text).ok()))
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.sudo_user, &self.user) {
            (Some(sudo), Some(user)) => write!(f, "{sudo} as {user}"),
            (Some(sudo), None) => write!(f, "{sudo} as uid {}", self.uid),
            (None, Some(user)) => write!(f, "{user}"),
            (None, None) => write!(f, "uid {}", self.uid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    #[test]
    fn an_operator_is_the_user_of_the_system_and_the_one_of_sudo() {
        let table = [
            (None, None, "uid 1000"),
            (Some(name("alice")), None, "alice"),
            (Some(name("root")), Some(name("alice")), "alice as root"),
            (None, Some(name("alice")), "alice as uid 1000"),
        ];
        for (user, sudo_user, shown) in table {
            let operator = Operator {
                user,
                uid: 1000,
                sudo_user,
            };
            assert_eq!(operator.to_string(), shown);
        }
    }

    #[test]
    fn a_name_in_a_log_that_is_not_safe_to_print_is_left_out() {
        let read = |text: &str| serde_json::from_str::<Operator>(text).unwrap();
        let operator = read(r#"{"user":"\u001b[31mroot","uid":0,"sudoUser":"alice"}"#);
        assert_eq!(
            (operator.user, operator.sudo_user),
            (None, Some(name("alice")))
        );
        assert_eq!(read(r#"{"uid":7}"#).to_string(), "uid 7");
    }
}
