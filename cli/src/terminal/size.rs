//! Sizes of files as shown: about three digits and a unit.

/// Units larger than a byte, each a thousand times the one before.
const SHOWN_UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];

/// A number of bytes, such as `512 B`, `2.3 kB`, `41 MB`; always rounded down.
pub(crate) fn file_size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes / 100, 0);
    while 10_000 <= tenths && unit + 1 < SHOWN_UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    match tenths {
        0..100 => format!("{}.{} {}", tenths / 10, tenths % 10, SHOWN_UNITS[unit]),
        _ => format!("{} {}", tenths / 10, SHOWN_UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, shown) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_999, "9.9 kB"),
            (10_000, "10 kB"),
            (999_999, "999 kB"),
            (1_000_000, "1.0 MB"),
            (4_123_456_789, "4.1 GB"),
            (u64::MAX, "18446 PB"),
        ] {
            assert_eq!(file_size(bytes), shown);
        }
    }
}
