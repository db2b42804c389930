//! The fast parser: builds the tree of nearly every page straight from its bytes.
//!
//! It follows the tokenizer and the tree construction rules of the HTML standard, as html5ever
//! does. It is faster because it reads runs of text, values, comments and scripts by vector search
//! instead of character by character, keeps texts as ranges of the page until they are written, and
//! writes attributes into the arena as they are read.
//!
//! It never guesses: at the first construct that it does not support it stops, and html5ever reads
//! the whole page. So the tree is always the one that html5ever builds; tests compare the two
//! parsers node for node.
//!
//! | construct | supported | section of the standard |
//! |---|---|---|
//! | text, named and numeric references | yes | 13.2.5.1, 13.2.5.72–80 |
//! | tags, attributes, duplicates | yes | 13.2.5.6–8, 13.2.5.32–40 |
//! | comments, bogus comments, processing instructions | yes | 13.2.5.41–52 |
//! | scripts with `<!--`, raw text, RCDATA | yes | 13.2.5.2–4, 13.2.5.9–31 |
//! | well-formed doctype, quirks mode | yes | 13.2.5.53–68, 13.2.6.4.1 |
//! | any other doctype | no: [`Doctype`] | |
//! | initial … after head, in body, after body | yes | 13.2.6.4.1–7, 13.2.6.4.19, 22 |
//! | implied end tags, scopes | yes | 13.2.4.2, 13.2.6.3 |
//! | active formatting elements, adoption agency | yes | 13.2.4.3, 13.2.6.4.7 |
//! | tables, foster parenting, text in tables | yes | 13.2.6.1, 13.2.6.4.9–15 |
//! | SVG, MathML, integration points | yes | 13.2.6.5 |
//! | `annotation-xml`, CDATA | no: [`AnnotationXml`], [`Cdata`] | |
//! | `template` | no: [`Template`] | 13.2.6.4.16, 18 |
//! | `frameset`, `plaintext` | no: [`Frameset`], [`Plaintext`] | |
//! | NUL, byte order mark inside the page | no: [`Nul`], [`ByteOrderMark`] | 13.2.3.5 |
//! | white space as a reference where it is treated differently | no: [`SpaceReference`] | |
//! | close to a limit on nodes, depth or attributes | no: [`Limit`] | |
//!
//! Time is linear in the length of the page, apart from what the limits bound: scopes and
//! formatting elements are searched on a stack of at most `depth` elements.
//!
//! [`AnnotationXml`]: FallbackReason::AnnotationXml
//! [`ByteOrderMark`]: FallbackReason::ByteOrderMark
//! [`Cdata`]: FallbackReason::Cdata
//! [`Doctype`]: FallbackReason::Doctype
//! [`Frameset`]: FallbackReason::Frameset
//! [`Limit`]: FallbackReason::Limit
//! [`Nul`]: FallbackReason::Nul
//! [`Plaintext`]: FallbackReason::Plaintext
//! [`SpaceReference`]: FallbackReason::SpaceReference
//! [`Template`]: FallbackReason::Template

mod foreign;
mod formatting;
mod name;
mod parser;
mod raw;
mod rules;
mod scan;
mod stack;
mod tables;
mod text;
mod write;

use crate::fallback::FallbackReason;
use crate::limits::Limits;
use crate::tree::{Tree, slice_starts};
use parser::FastParser;

/// Parses `html`, or returns why html5ever has to.
pub(super) fn parse(
    html: &str,
    limits: &Limits,
    keep_hidden: bool,
) -> Result<Tree, FallbackReason> {
    if memchr::memchr(0, html.as_bytes()).is_some() {
        return Err(FallbackReason::Nul);
    }
    if drops_byte_order_mark(html) {
        return Err(FallbackReason::ByteOrderMark);
    }
    let mut parser = FastParser::new(html, limits);
    parser.run()?;
    let quirks = parser.quirks;
    Ok(Tree { arena: parser.write(keep_hidden), quirks })
}

/// Whether html5ever may drop a U+FEFF. It does so wherever it starts on new input: at the start of
/// each slice and after some tags.
fn drops_byte_order_mark(html: &str) -> bool {
    let mut starts = slice_starts(html).peekable();
    memchr::memmem::find_iter(html.as_bytes(), "\u{feff}".as_bytes()).any(|at| {
        while starts.next_if(|&start| start < at).is_some() {}
        starts.peek() == Some(&at) || html.as_bytes()[at - 1] == b'>'
    })
}
