//! The tokenizer: reads text, tags, comments and doctypes.

use memchr::{memchr, memchr3, memmem};

use super::name::Name;
use super::parser::{FastParser, Mode, TagToken};
use super::raw::NONE;
use super::text::{Context, push_decoded};
use crate::arena::Attr;
use crate::fallback::FallbackReason;
use crate::names::{ATTRIBUTE_TABLE, NameKey, attribute_number};
use crate::tag::Tag;
use crate::tree::hides;

/// The attribute guard of the html5ever parser looks at the input once its sink has not been called
/// for 32 KiB; this parser falls back a little earlier.
const QUIET_BYTES: usize = 28 << 10;
/// Length of the slices that html5ever is fed. The guard may start counting up to two slices before
/// the last call.
const SLICE: usize = 4 << 10;

/// The role of each byte inside a tag.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b' ' | b'\n' | b'\t' | b'\r' | 0x0c => SPACE,
            b'/' | b'>' => MARK,
            b'=' => EQUALS,
            b'A'..=b'Z' => UPPER,
            _ => 0,
        };
        byte += 1;
    }
    class
};
const SPACE: u8 = 1;
const MARK: u8 = 2;
const EQUALS: u8 = 4;
const UPPER: u8 = 8;

fn is_space(byte: u8) -> bool {
    CLASS[byte as usize] & SPACE != 0
}

/// Where the name that starts at `start` ends, and its key; `None` if the page ends first.
#[inline]
fn read_name(bytes: &[u8], start: usize, ends: u8) -> Option<(usize, Option<NameKey>)> {
    if let Some(&word) = bytes[start..].first_chunk() {
        let word = u64::from_le_bytes(word);
        let length = lower_case_letters(word);
        if (1..8).contains(&length) && CLASS[bytes[start + length] as usize] & ends != 0 {
            return Some((
                start + length,
                Some(NameKey(u128::from(word & ((1 << (8 * length)) - 1)))),
            ));
        }
    }
    read_any_name(bytes, start, ends)
}

/// Number of lower-case letters at the start of the eight bytes.
fn lower_case_letters(word: u64) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let low = word & !HIGH;
    let from_a = low + ONES * u64::from(0x80 - b'a');
    let after_z = low + ONES * u64::from(0x7f - b'z');
    let others = !(from_a & !after_z & !word) & HIGH;
    others.trailing_zeros() as usize / 8
}

fn read_any_name(bytes: &[u8], start: usize, ends: u8) -> Option<(usize, Option<NameKey>)> {
    // The first byte is always part of the name.
    let mut seen = CLASS[bytes[start] as usize];
    let mut at = start + 1;
    loop {
        let class = CLASS[*bytes.get(at)? as usize];
        if class & ends != 0 {
            break;
        }
        seen |= class;
        at += 1;
    }
    let length = at - start;
    if length > NameKey::MAX_LEN {
        return Some((at, None));
    }
    let mut name = [0; NameKey::MAX_LEN];
    name[..length].copy_from_slice(&bytes[start..at]);
    if seen & UPPER != 0 {
        name.make_ascii_lowercase();
    }
    Some((at, Some(NameKey(u128::from_le_bytes(name)))))
}

impl FastParser<'_> {
    pub(super) fn run(&mut self) -> Result<(), FallbackReason> {
        while self.at < self.html.len() {
            self.token()?;
        }
        self.note_event(self.at)?;
        self.end_of_file()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.html.as_bytes().get(at).copied()
    }

    /// Reads the text up to the next mark-up, or one piece of mark-up.
    fn token(&mut self) -> Result<(), FallbackReason> {
        let bytes = self.html.as_bytes();
        let start = self.at;
        let open = memchr(b'<', &bytes[start..]).map_or(bytes.len(), |found| start + found);
        if open > start {
            self.at = open;
            self.text(start, open)?;
        }
        match self.byte(open + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(open + 1),
            Some(b'/') => self.end_tag(open),
            Some(b'!') => self.declaration(open),
            Some(b'?') => self.bogus_comment(open + 1),
            _ if open < bytes.len() => {
                self.at = open + 1;
                self.text(open, open + 1)
            }
            _ => Ok(()),
        }
    }

    fn start_tag(&mut self, name: usize) -> Result<(), FallbackReason> {
        let attrs = self.writer.arena.attrs.len();
        let pool = self.writer.arena.pool.len();
        match self.read_tag(name, false)? {
            Some(token) => {
                self.process(token)?;
                self.check_limits()
            }
            None => {
                // The page ends inside a tag: the tag is dropped.
                self.writer.arena.attrs.truncate(attrs);
                self.writer.arena.pool.truncate(pool);
                self.at = self.html.len();
                Ok(())
            }
        }
    }

    fn end_tag(&mut self, open: usize) -> Result<(), FallbackReason> {
        match self.byte(open + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => match self.read_tag(open + 2, true)? {
                Some(token) => {
                    self.process(token)?;
                    self.check_limits()
                }
                None => {
                    self.at = self.html.len();
                    Ok(())
                }
            },
            Some(b'>') => {
                self.at = open + 3;
                Ok(())
            }
            Some(_) => self.bogus_comment(open + 2),
            None => {
                self.at = open + 2;
                self.text(open, open + 2)
            }
        }
    }

    fn declaration(&mut self, open: usize) -> Result<(), FallbackReason> {
        let rest = &self.html.as_bytes()[open + 2..];
        if rest.starts_with(b"--") {
            self.at = comment_end(self.html.as_bytes(), open + 4);
            return self.comment();
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            return self.doctype(open + 9);
        }
        if rest.starts_with(b"[CDATA[")
            && self.stack.last().is_some_and(|open| !open.name.is_html())
        {
            return Err(FallbackReason::Cdata);
        }
        self.bogus_comment(open + 2)
    }

    fn bogus_comment(&mut self, from: usize) -> Result<(), FallbackReason> {
        let bytes = self.html.as_bytes();
        self.at = memchr(b'>', &bytes[from..]).map_or(bytes.len(), |found| from + found + 1);
        self.comment()
    }

    /// Processes a comment: not kept, but it splits the text of tables and counts as a node.
    fn comment(&mut self) -> Result<(), FallbackReason> {
        self.note_event(self.at)?;
        self.flush_table_text()?;
        self.skipped_nodes += 1;
        let depth = self.stack.last().map_or(0, |open| self.tree.depth(open.node)) + 1;
        self.tree.deepest = self.tree.deepest.max(depth);
        self.check_limits()
    }

    /// Notes that html5ever would call its sink at `at`.
    ///
    /// The attribute guard of the html5ever parser estimates, from the bytes since the last call,
    /// how many attributes an open tag may have; the estimate is never too low. This looks at the
    /// same bytes, and falls back to html5ever if the guard could stop the page.
    pub(super) fn note_event(&mut self, at: usize) -> Result<(), FallbackReason> {
        if at.saturating_sub(self.last_event) > QUIET_BYTES {
            let bytes = &self.html.as_bytes()[self.last_event.saturating_sub(2 * SLICE)..at];
            let separators = bytes
                .iter()
                .filter(|&&byte| is_space(byte) || matches!(byte, b'/' | b'"' | b'\''))
                .count();
            if separators + 2 >= self.limits.attributes {
                return Err(FallbackReason::Limit);
            }
        }
        self.last_event = at;
        Ok(())
    }

    /// Notes a text: html5ever passes text to its sink while reading it.
    pub(super) fn note_text_event(
        &mut self,
        start: usize,
        end: usize,
    ) -> Result<(), FallbackReason> {
        self.note_event(start.max(self.last_event))?;
        self.last_event = end.max(self.last_event);
        Ok(())
    }

    pub(super) fn check_limits(&self) -> Result<(), FallbackReason> {
        let nodes = self.tree.nodes.len() + self.skipped_nodes + 8;
        if nodes > self.limits.nodes || self.tree.deepest as usize > self.limits.depth {
            return Err(FallbackReason::Limit);
        }
        Ok(())
    }

    /// Reads a tag from the start of its name; `None` if the page ends inside it. Attributes of end
    /// tags are skipped.
    fn read_tag(&mut self, name: usize, is_end: bool) -> Result<Option<TagToken>, FallbackReason> {
        let Some((end, key)) = read_name(self.html.as_bytes(), name, SPACE | MARK) else {
            return Ok(None);
        };
        let known = key.and_then(Tag::by_key);
        let tag = match known {
            Some(tag) => tag,
            None => self.unknown_tag(name, end),
        };
        let first = self.writer.arena.attrs.len() as u32;
        let mut token =
            TagToken { tag, is_end, self_closing: false, hidden: false, attrs: (first, first) };
        self.tags += 1;
        Ok(if self.read_attributes(end, &mut token)? { Some(token) } else { None })
    }

    fn unknown_tag(&mut self, start: usize, end: usize) -> Tag {
        self.scratch.clear();
        self.scratch.push_str(&self.html[start..end]);
        self.scratch.make_ascii_lowercase();
        self.writer.tag(&self.scratch)
    }

    /// Reads what follows a tag's name; returns false if the page ends inside the tag.
    fn read_attributes(
        &mut self,
        mut at: usize,
        token: &mut TagToken,
    ) -> Result<bool, FallbackReason> {
        let bytes = self.html.as_bytes();
        loop {
            let Some(&byte) = bytes.get(at) else { return Ok(false) };
            match byte {
                b'>' => {
                    at += 1;
                    break;
                }
                b'/' => {
                    if self.byte(at + 1) == Some(b'>') {
                        token.self_closing = true;
                        at += 2;
                        break;
                    }
                    at += 1;
                }
                _ if is_space(byte) => at += 1,
                _ => match self.read_attribute(at, token) {
                    Some(next) => at = next,
                    None => return Ok(false),
                },
            }
        }
        self.at = at;
        token.attrs.1 = self.writer.arena.attrs.len() as u32;
        if (token.attrs.1 - token.attrs.0) as usize > self.limits.attributes {
            return Err(FallbackReason::Limit);
        }
        Ok(true)
    }

    /// Reads one attribute; returns where it ends, or `None` if the page ends first.
    fn read_attribute(&mut self, start: usize, token: &mut TagToken) -> Option<usize> {
        let bytes = self.html.as_bytes();
        // An equals sign at the start is part of the name.
        let (mut at, key) = read_name(bytes, start, SPACE | MARK | EQUALS)?;
        let name = (start, at);
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        let (value, plain, next) = match bytes[at] {
            b'=' => read_value(bytes, at + 1)?,
            _ => ((at, at), true, at),
        };
        if !token.is_end {
            self.store_attribute(name, key, value, plain, token);
        }
        Some(next)
    }

    fn store_attribute(
        &mut self,
        name: (usize, usize),
        key: Option<NameKey>,
        value: (usize, usize),
        plain: bool,
        token: &mut TagToken,
    ) {
        let number = match key.and_then(|key| ATTRIBUTE_TABLE.get(key)) {
            Some(number) => number,
            None => {
                self.scratch.clear();
                self.scratch.push_str(&self.html[name.0..name.1]);
                self.scratch.make_ascii_lowercase();
                self.writer.attribute_name(&self.scratch)
            }
        };
        if self.is_repeated(number) {
            return;
        }
        let pool = &mut self.writer.arena.pool;
        let start = pool.len();
        let raw = &self.html[value.0..value.1];
        if plain {
            pool.push_str(raw);
        } else {
            push_decoded(pool, raw, Context::Attribute);
        }
        token.hidden |= number == HIDDEN || number == STYLE && hides(&pool[start..]);
        self.writer.arena.attrs.push(Attr {
            name: number,
            start: start as u32,
            end: pool.len() as u32,
        });
    }

    /// Whether the current tag already has an attribute with this name.
    fn is_repeated(&mut self, number: u32) -> bool {
        let number = number as usize;
        if number >= self.last_tag_with.len() {
            self.last_tag_with.resize(number * 2, 0);
        }
        std::mem::replace(&mut self.last_tag_with[number], self.tags) == self.tags
    }

    /// Processes a well-formed doctype; others are left to html5ever.
    fn doctype(&mut self, from: usize) -> Result<(), FallbackReason> {
        let bytes = self.html.as_bytes();
        let end = memchr(b'>', &bytes[from..])
            .map(|found| from + found)
            .ok_or(FallbackReason::Doctype)?;
        let quirks = quirks_of(&self.html[from..end]).ok_or(FallbackReason::Doctype)?;
        self.at = end + 1;
        if self.mode == Mode::Initial {
            self.quirks = quirks;
            self.mode = Mode::BeforeHtml;
        }
        Ok(())
    }

    /// Reads the contents of an element without mark-up inside, and its end tag; returns the range
    /// of the contents.
    pub(super) fn raw_text(&mut self, tag: Tag) -> Result<(usize, usize), FallbackReason> {
        let bytes = self.html.as_bytes();
        let name = tag.known_name().unwrap_or_default().as_bytes();
        let start = self.at;
        let end = match tag {
            Tag::SCRIPT => script_end(bytes, start),
            _ => raw_end(bytes, start, name),
        };
        let content = (start, end.unwrap_or(bytes.len()));
        if content.0 < content.1 {
            self.note_text_event(content.0, content.1)?;
        }
        self.at = bytes.len();
        if let Some(end) = end {
            // The end tag may have attributes. Without a `>` the page ends inside it.
            self.read_tag(end + 2, true)?;
        }
        Ok(content)
    }

    /// Inserts the text of an element without mark-up inside.
    pub(super) fn append_raw_text(&mut self, content: (usize, usize), is_raw: bool) {
        if content.0 < content.1 {
            let parent = self.stack.last().map_or(NONE, |open| open.node);
            if parent != NONE {
                self.tree.append_new(
                    parent,
                    Name::TEXT,
                    content.0 as u32,
                    content.1 as u32,
                    is_raw,
                );
            }
        }
    }
}

const HIDDEN: u32 = attribute_number("hidden");
const STYLE: u32 = attribute_number("style");

/// Reads the value after an equals sign. Returns its range, whether it is plain (no character
/// references, no carriage returns), and where the attribute ends; `None` if the page ends first.
#[inline]
fn read_value(bytes: &[u8], start: usize) -> Option<((usize, usize), bool, usize)> {
    let mut at = start;
    while is_space(*bytes.get(at)?) {
        at += 1;
    }
    Some(match bytes[at] {
        quote @ (b'"' | b'\'') => {
            let from = at + 1;
            let found = from + memchr3(quote, b'&', b'\r', &bytes[from..])?;
            let plain = bytes[found] == quote;
            let end = if plain { found } else { found + memchr(quote, &bytes[found..])? };
            ((from, end), plain, end + 1)
        }
        b'>' => ((at, at), true, at),
        _ => {
            let length = bytes[at..].iter().position(|&byte| is_space(byte) || byte == b'>')?;
            let plain = memchr(b'&', &bytes[at..at + length]).is_none();
            ((at, at + length), plain, at + length)
        }
    })
}

/// Where the comment whose text starts at `start` ends, including its end mark.
fn comment_end(bytes: &[u8], start: usize) -> usize {
    let text = &bytes[start..];
    if text.starts_with(b">") {
        return start + 1;
    }
    if text.starts_with(b"->") {
        return start + 2;
    }
    let mut from = 0;
    while let Some(found) = memmem::find(&text[from..], b"--") {
        let after = from + found + 2;
        if text[after..].starts_with(b">") {
            return start + after + 1;
        }
        if text[after..].starts_with(b"!>") {
            return start + after + 2;
        }
        from = after - 1;
    }
    bytes.len()
}

/// Where the end tag `</name` starts.
fn raw_end(bytes: &[u8], start: usize, name: &[u8]) -> Option<usize> {
    let mut from = start;
    loop {
        let at = from + memchr(b'<', &bytes[from..])?;
        if ends_raw_text(&bytes[at..], name) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Whether `text` starts with the end tag of `name`.
fn ends_raw_text(text: &[u8], name: &[u8]) -> bool {
    text.get(1) == Some(&b'/') && is_word(&text[2..], name)
}

/// Whether `text` starts with `name`, followed by the end of the name.
fn is_word(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && text.get(name.len()).is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
}

/// Where the end tag of a script starts. Between `<!--` and `-->`, a `<script` needs its own end
/// tag.
fn script_end(bytes: &[u8], start: usize) -> Option<usize> {
    let end = raw_end(bytes, start, b"script");
    if memmem::find(&bytes[start..end.unwrap_or(bytes.len())], b"<!--").is_none() {
        return end;
    }
    let mut escaped = false;
    let mut double = false;
    let mut at = start;
    while at < bytes.len() {
        let text = &bytes[at..];
        match text[0] {
            b'<' if !escaped && text.starts_with(b"<!--") => {
                escaped = true;
                // The dashes may also be those of the end, as in `<!-->`.
                at += 2;
                continue;
            }
            b'<' if !double && ends_raw_text(text, b"script") => return Some(at),
            b'<' if escaped && !double && is_word(&text[1..], b"script") => double = true,
            b'<' if double && ends_raw_text(text, b"script") => double = false,
            b'-' if escaped && text.starts_with(b"-->") => (escaped, double) = (false, false),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a doctype causes quirks mode; `None` if it is not well-formed. `text` is what is between
/// the keyword and `>`.
fn quirks_of(text: &str) -> Option<bool> {
    let text = text.strip_prefix(|c: char| c.is_ascii() && is_space(c as u8))?.trim_ascii();
    let name_end = text.bytes().position(is_space).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let (public, system) = if rest.is_empty() {
        (None, None)
    } else {
        let (keyword, rest) = rest.split_at_checked(6)?;
        let rest =
            rest.strip_prefix(|c: char| c.is_ascii() && is_space(c as u8))?.trim_ascii_start();
        if keyword.eq_ignore_ascii_case("public") {
            let (public, rest) = quoted(rest)?;
            let rest = if rest.is_empty() {
                rest
            } else {
                rest.strip_prefix(|c: char| c.is_ascii() && is_space(c as u8))?.trim_ascii_start()
            };
            match rest {
                "" => (Some(public), None),
                _ => (Some(public), Some(quoted(rest).filter(|(_, rest)| rest.is_empty())?.0)),
            }
        } else if keyword.eq_ignore_ascii_case("system") {
            (None, Some(quoted(rest).filter(|(_, rest)| rest.is_empty())?.0))
        } else {
            return None;
        }
    };
    Some(!name.eq_ignore_ascii_case("html") || is_quirky(public, system))
}

/// The quoted string that `text` starts with, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|&c| c == '"' || c == '\'')?;
    let end = text[1..].find(quote)? + 1;
    Some((&text[1..end], &text[end + 1..]))
}

/// Whether the public and system identifiers cause quirks mode (13.2.6.4.1).
fn is_quirky(public: Option<&str>, system: Option<&str>) -> bool {
    const PREFIXES: [&str; 54] = [
        "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
        "-//as//dtd html 3.0 aswedit + extensions//",
        "-//ietf//dtd html 2.0 level 1//",
        "-//ietf//dtd html 2.0 level 2//",
        "-//ietf//dtd html 2.0 strict level 1//",
        "-//ietf//dtd html 2.0 strict level 2//",
        "-//ietf//dtd html 2.0 strict//",
        "-//ietf//dtd html 2.0//",
        "-//ietf//dtd html 2.1e//",
        "-//ietf//dtd html 3.0//",
        "-//ietf//dtd html 3.2 final//",
        "-//ietf//dtd html 3.2//",
        "-//ietf//dtd html 3//",
        "-//ietf//dtd html level 0//",
        "-//ietf//dtd html level 1//",
        "-//ietf//dtd html level 2//",
        "-//ietf//dtd html level 3//",
        "-//ietf//dtd html strict level 0//",
        "-//ietf//dtd html strict level 1//",
        "-//ietf//dtd html strict level 2//",
        "-//ietf//dtd html strict level 3//",
        "-//ietf//dtd html strict//",
        "-//ietf//dtd html//",
        "-//metrius//dtd metrius presentational//",
        "-//microsoft//dtd internet explorer 2.0 html strict//",
        "-//microsoft//dtd internet explorer 2.0 html//",
        "-//microsoft//dtd internet explorer 2.0 tables//",
        "-//microsoft//dtd internet explorer 3.0 html strict//",
        "-//microsoft//dtd internet explorer 3.0 html//",
        "-//microsoft//dtd internet explorer 3.0 tables//",
        "-//netscape comm. corp.//dtd html//",
        "-//netscape comm. corp.//dtd strict html//",
        "-//o'reilly and associates//dtd html 2.0//",
        "-//o'reilly and associates//dtd html extended 1.0//",
        "-//o'reilly and associates//dtd html extended relaxed 1.0//",
        "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
        "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
        "-//spyglass//dtd html 2.0 extended//",
        "-//sq//dtd html 2.0 hotmetal + extensions//",
        "-//sun microsystems corp.//dtd hotjava html//",
        "-//sun microsystems corp.//dtd hotjava strict html//",
        "-//w3c//dtd html 3 1995-03-24//",
        "-//w3c//dtd html 3.2 draft//",
        "-//w3c//dtd html 3.2 final//",
        "-//w3c//dtd html 3.2//",
        "-//w3c//dtd html 3.2s draft//",
        "-//w3c//dtd html 4.0 frameset//",
        "-//w3c//dtd html 4.0 transitional//",
        "-//w3c//dtd html experimental 19960712//",
        "-//w3c//dtd html experimental 970421//",
        "-//w3c//dtd w3 html//",
        "-//w3o//dtd w3 html 3.0//",
        "-//webtechs//dtd mozilla html 2.0//",
        "-//webtechs//dtd mozilla html//",
    ];
    let system = system.map(str::to_ascii_lowercase);
    if system.as_deref() == Some("http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") {
        return true;
    }
    let Some(public) = public.map(str::to_ascii_lowercase) else { return false };
    let exact =
        ["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];
    let without_system =
        ["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];
    exact.contains(&&*public)
        || PREFIXES.iter().any(|prefix| public.starts_with(prefix))
        || system.is_none() && without_system.iter().any(|prefix| public.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_read_a_name_agree() {
        for text in [
            "div class=x yyyyyyy",
            "h1>       ",
            "DIV>      ",
            "abcdefgh>         ",
            "a=b       ",
            "=x>        ",
            "é>       ",
        ] {
            let ends = SPACE | MARK | EQUALS;
            assert_eq!(
                read_name(text.as_bytes(), 0, ends),
                read_any_name(text.as_bytes(), 0, ends),
                "{text}"
            );
        }
        for byte in 0..=255 {
            let word = u64::from_le_bytes([b'a', b'z', byte, b'a', b'a', b'a', b'a', b'a']);
            assert_eq!(lower_case_letters(word), if byte.is_ascii_lowercase() { 8 } else { 2 });
        }
    }

    #[test]
    fn comments_end_where_the_standard_says() {
        for (html, end) in [
            ("<!-->x", 5),
            ("<!--->x", 6),
            ("<!---->x", 7),
            ("<!-- a -- b --!>x", 16),
            ("<!-- a --->x", 11),
            ("<!--x--!-->x", 11),
            ("<!-- a", 6),
        ] {
            assert_eq!(comment_end(html.as_bytes(), 4), end, "{html}");
        }
    }

    #[test]
    fn scripts_end_where_the_standard_says() {
        for (script, end) in [
            ("a<b</script>", Some(3)),
            ("</scripty></SCRIPT >", Some(10)),
            ("<!-- <script> </script> --></script>", Some(27)),
            ("<!-- </script>", Some(5)),
            ("<!--><script></script>", Some(13)),
            ("<!-- <script>", None),
            ("</script", None),
        ] {
            assert_eq!(script_end(script.as_bytes(), 0), end, "{script}");
        }
    }

    #[test]
    fn quirks_follow_the_doctype() {
        for (text, quirks) in [
            (" html", Some(false)),
            (" HTML ", Some(false)),
            (" svg", Some(true)),
            (" html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\"", Some(true)),
            (" html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" 'http://x'", Some(false)),
            (" html PUBLIC \"-//W3C//DTD HTML 3.2//EN\"", Some(true)),
            (" html SYSTEM 'about:legacy-compat'", Some(false)),
            (" html bogus", None),
            ("html", None),
            ("", None),
        ] {
            assert_eq!(quirks_of(text), quirks, "{text}");
        }
    }
}
