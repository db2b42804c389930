//! Looks through the footer of a Parquet file for lists that take long to skip.
//!
//! The footer is a struct in Thrift's compact protocol. The Parquet crate skips a list of booleans
//! in an unknown field without reading a byte for each, so a few bytes can ask for billions of
//! steps. No field of a footer is a list of booleans: such a footer is damaged.

/// What follows in the footer, innermost last.
enum Open {
    Struct,
    /// Elements that are left, and their type.
    List(u64, u8),
    /// Pairs that are left, and the types of keys and values.
    Map(u64, u8, u8),
}

const MAX_DEPTH: usize = 64;

/// Whether the footer has a list or map of booleans. What makes no sense otherwise is left to the
/// Parquet crate, which notices.
pub fn has_booleans(footer: &[u8]) -> bool {
    let mut bytes = footer;
    let mut open = vec![Open::Struct];
    while let Some(last) = open.last_mut() {
        let next = match last {
            Open::Struct => field(&mut bytes),
            Open::List(0, _) | Open::Map(0, ..) => Some(0),
            Open::List(left, element) => {
                *left -= 1;
                Some(*element)
            }
            Open::Map(left, key, value) => {
                *left -= 1;
                // A key, and then its value as a list of one.
                let (key, value) = (*key, *value);
                open.push(Open::List(1, value));
                Some(key)
            }
        };
        match next {
            Some(0) => drop(open.pop()),
            Some(kind) => match value(&mut bytes, kind) {
                Some(Some(Open::List(1.., 1 | 2) | Open::Map(1.., 1 | 2, 1 | 2))) => return true,
                Some(Some(inner)) if open.len() < MAX_DEPTH => open.push(inner),
                Some(None) => {}
                _ => return false,
            },
            None => return false,
        }
    }
    false
}

/// The type of the next field; 0 at the end of the struct.
fn field(bytes: &mut &[u8]) -> Option<u8> {
    let head = byte(bytes)?;
    if head != 0 && head >> 4 == 0 {
        varint(bytes)?;
    }
    Some(head & 15)
}

/// Skips a value, or opens it.
fn value(bytes: &mut &[u8], kind: u8) -> Option<Option<Open>> {
    match kind {
        1 | 2 => {}
        3 => drop(byte(bytes)?),
        4..=6 => drop(varint(bytes)?),
        7 => *bytes = bytes.get(8..)?,
        8 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            *bytes = bytes.get(length..)?;
        }
        9 | 10 => {
            let head = byte(bytes)?;
            let size = if head >> 4 == 15 { varint(bytes)? } else { u64::from(head >> 4) };
            return Some(Some(Open::List(size, head & 15)));
        }
        11 => {
            let size = varint(bytes)?;
            let kinds = if size > 0 { byte(bytes)? } else { 0 };
            return Some(Some(Open::Map(size, kinds >> 4, kinds & 15)));
        }
        12 => return Some(Some(Open::Struct)),
        _ => return None,
    }
    Some(None)
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let next = byte(bytes)?;
        value |= u64::from(next & 127) << shift;
        if next < 128 {
            return Some(value);
        }
    }
    None
}
