//! Walks over data in Thrift's compact protocol and trusts nothing: sizes are checked against the
//! remaining bytes, nesting against a limit, and fields against the types they must have.
//!
//! The Parquet library takes the types of known fields for granted and allocates as many members as
//! a list claims. Whatever passes here, it reads in the same way.

/// The deepest nesting of structs, lists and maps.
const DEPTH_MAX: usize = 24;

/// The types that known fields must have: the ids of the fields that lead to a struct, and one
/// letter for each of its field ids, starting at 1. A list of structs counts as a struct: the
/// list's field id leads to its members.
///
/// `i` is an integer, `y` a byte, `b` a boolean, `s` bytes, `t` a struct; capital letters are lists
/// of these, and `?` may be anything.
pub(super) type Fields = [(&'static [i16], &'static str)];

/// What the walk encounters.
pub(super) enum Token {
    Integer(i64),
    /// The end of a struct.
    End,
}

/// Walks over the struct at the beginning of `bytes` and returns its length. Everything encountered
/// is handed to `meet` with the ids of the fields that lead to it.
pub(super) fn walk(
    bytes: &[u8],
    fields: &Fields,
    meet: &mut dyn FnMut(&[i16], Token),
) -> Result<usize, Broken> {
    let mut walk = Walk {
        bytes,
        at: 0,
        depth: 0,
        path: Vec::new(),
        fields,
        meet,
    };
    walk.structure()?;
    Ok(walk.at)
}

/// Why a walk ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The data ends too early.
    Short,
    /// It is not such a struct.
    Wrong,
}

struct Walk<'w> {
    bytes: &'w [u8],
    at: usize,
    depth: usize,
    path: Vec<i16>,
    fields: &'w Fields,
    meet: &'w mut dyn FnMut(&[i16], Token),
}

impl Walk<'_> {
    fn structure(&mut self) -> Result<(), Broken> {
        self.enter()?;
        let known = self.fields.iter().find(|(path, _)| *path == self.path);
        let known = known.map(|(_, letters)| letters.as_bytes());
        let mut id = 0_i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                break;
            }
            id = match head >> 4 {
                0 => i16::try_from(self.integer()?).map_err(|_range| Broken::Wrong)?,
                more => id.checked_add(i16::from(more)).ok_or(Broken::Wrong)?,
            };
            let place = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
            let letter = known.and_then(|letters| letters.get(place?).copied());
            self.path.push(id);
            self.field(head & 0xf, letter.unwrap_or(b'?'))?;
            self.path.pop();
        }
        (self.meet)(&self.path, Token::End);
        self.depth -= 1;
        Ok(())
    }

    fn field(&mut self, kind: u8, letter: u8) -> Result<(), Broken> {
        match (kind, letter) {
            // A boolean's type is its value.
            (1 | 2, b'?' | b'b') => Ok(()),
            (9, _) if letter == b'?' || letter.is_ascii_uppercase() => self.list(letter),
            (_, b'?') => self.value(kind),
            _ if kind_is(kind, letter) => self.value(kind),
            _ => Err(Broken::Wrong),
        }
    }

    fn list(&mut self, letter: u8) -> Result<(), Broken> {
        let head = self.byte()?;
        let size = match head >> 4 {
            15 => self.size()?,
            size => usize::from(size),
        };
        let kind = head & 0xf;
        let is_right = size == 0 || letter == b'?' || kind_is(kind, letter.to_ascii_lowercase());
        if !is_right {
            return Err(Broken::Wrong);
        }
        self.members(size, &[kind])
    }

    /// Walks over `size` members of these types. Each member takes at least one byte.
    fn members(&mut self, size: usize, kinds: &[u8]) -> Result<(), Broken> {
        if self.bytes.len() - self.at < size {
            return Err(Broken::Short);
        }
        self.enter()?;
        for _ in 0..size {
            for kind in kinds {
                match kind {
                    // In lists and maps, a boolean takes a byte.
                    1 | 2 => self.skip(1)?,
                    _ => self.value(*kind)?,
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, kind: u8) -> Result<(), Broken> {
        match kind {
            3 => self.skip(1),
            4..=6 => {
                let integer = self.integer()?;
                (self.meet)(&self.path, Token::Integer(integer));
                Ok(())
            }
            7 => self.skip(8),
            8 => {
                let size = self.size()?;
                self.skip(size)
            }
            9 | 10 => self.list(b'?'),
            11 => match self.size()? {
                0 => Ok(()),
                size => {
                    let kinds = self.byte()?;
                    self.members(size, &[kinds >> 4, kinds & 0xf])
                }
            },
            12 => self.structure(),
            _ => Err(Broken::Wrong),
        }
    }

    fn enter(&mut self) -> Result<(), Broken> {
        self.depth += 1;
        if DEPTH_MAX < self.depth {
            return Err(Broken::Wrong);
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, Broken> {
        let byte = self.bytes.get(self.at).copied().ok_or(Broken::Short)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, bytes: usize) -> Result<(), Broken> {
        if self.bytes.len() - self.at < bytes {
            return Err(Broken::Short);
        }
        self.at += bytes;
        Ok(())
    }

    fn size(&mut self) -> Result<usize, Broken> {
        usize::try_from(self.varint()?).map_err(|_range| Broken::Wrong)
    }

    fn integer(&mut self) -> Result<i64, Broken> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    fn varint(&mut self) -> Result<u64, Broken> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Broken::Wrong)
    }
}

/// Whether a letter stands for a type of the protocol.
const fn kind_is(kind: u8, letter: u8) -> bool {
    match letter {
        b'i' => matches!(kind, 4..=6),
        b'y' => kind == 3,
        b'b' => matches!(kind, 1 | 2),
        b's' => kind == 8,
        b't' => kind == 12,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &Fields = &[(&[], "iT"), (&[2], "i")];

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<usize, Broken>) {
        assert_eq!(walk(bytes, FIELDS, &mut |_, _| {}), expected, "{bytes:?}");
    }

    #[test]
    fn integers_and_ends_of_structs_come_with_the_fields_that_lead_to_them() {
        let mut met = Vec::new();
        let bytes = [0x15, 0x03, 0x19, 0x2c, 0x15, 0x04, 0, 0, 0, 0xff];
        let walked = walk(&bytes, FIELDS, &mut |path, token| {
            let integer = match token {
                Token::Integer(integer) => Some(integer),
                Token::End => None,
            };
            met.push((path.to_vec(), integer));
        });
        assert_eq!(walked, Ok(9));
        let expected = [
            (vec![1], Some(-2)),
            (vec![2, 1], Some(2)),
            (vec![2], None),
            (vec![2], None),
            (vec![], None),
        ];
        assert_eq!(met, expected);
    }

    #[test]
    fn what_claims_more_than_there_is_or_another_type_is_broken() {
        // A list of two billion structs, and text of as many bytes.
        check(
            &[0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07],
            Err(Broken::Short),
        );
        check(&[0x38, 0xff, 0xff, 0xff, 0xff, 0x07], Err(Broken::Short));
        check(&[], Err(Broken::Short));
        // A text for an integer, an integer or a list of integers for a list, and a number that is
        // too long.
        check(&[0x18, 0], Err(Broken::Wrong));
        check(&[0x25, 0], Err(Broken::Wrong));
        check(&[0x29, 0x15, 0, 0], Err(Broken::Wrong));
        check(
            &[[0x15].as_slice(), &[0xff; 10], &[0]].concat(),
            Err(Broken::Wrong),
        );
        let nested = |depth| [[0x3c].repeat(depth), vec![0; depth + 1]].concat();
        check(&nested(DEPTH_MAX - 1), Ok(2 * DEPTH_MAX - 1));
        check(&nested(DEPTH_MAX), Err(Broken::Wrong));
    }
}
