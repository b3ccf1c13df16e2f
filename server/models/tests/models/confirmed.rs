//! What requests see of keys while another thread replaces them.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;
use models::keyring::Confirmed;

use crate::check;

const AGE: Duration = Duration::from_secs(1);

#[test]
fn nothing_is_seen_that_was_replaced_before_the_confirmation_that_makes_it_count() {
    check(3, || {
        // A value is the second at which it was true; a later refresh brings a later one.
        let confirmed = Arc::new(Confirmed::default());
        let refreshed = Arc::clone(&confirmed);
        let refreshing = thread::spawn(move || {
            for second in 1..=2 {
                refreshed.refresh(second, Duration::from_secs(second));
            }
        });
        let looking = [1, 3].map(|now| {
            let confirmed = Arc::clone(&confirmed);
            thread::spawn(move || {
                let now = Duration::from_secs(now);
                let seen = confirmed.read(AGE, now, |&second| Duration::from_secs(second));
                assert!(seen.is_none_or(|seen| now <= seen + AGE));
            })
        });
        for thread in looking {
            thread.join().unwrap();
        }
        refreshing.join().unwrap();
        let seen = confirmed.read(AGE, Duration::from_secs(3), |&second| second);
        assert_eq!(seen, Some(2));
        assert_eq!(confirmed.read(AGE, Duration::from_secs(4), |_| ()), None);
    });
}
