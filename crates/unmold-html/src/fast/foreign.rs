//! Tree construction inside SVG and MathML.

use super::name::{Name, svg_name};
use super::parser::{FastParser, Next, Step, TagToken};
use crate::fallback::FallbackReason;
use crate::names::attribute_number;
use crate::tag::Tag;

const XMLNS: u32 = attribute_number("xmlns");
const PREFIXED_XMLNS: u32 = attribute_number(":xmlns");

impl FastParser<'_> {
    /// Whether the rules for foreign content apply to this tag.
    #[inline]
    pub(super) fn is_foreign_tag(&self, token: &TagToken) -> bool {
        match self.stack.last() {
            Some(open) if !open.name.is_html() => is_foreign_in(open.name, token),
            _ => false,
        }
    }

    pub(super) fn foreign_tag(&mut self, token: &TagToken) -> Step {
        if breaks_out(token) || !token.is_end && token.tag == Tag::FONT && self.is_html_font(token)
        {
            return self.leave_foreign(token);
        }
        if token.is_end {
            return self.foreign_end(token);
        }
        let current = self.current().name;
        let tag = if current.is_svg() { self.svg_tag(token.tag) } else { token.tag };
        let name = if current.is_svg() { Name::svg(tag) } else { Name::mathml(tag) };
        self.enter_foreign(token, name)?;
        Ok(Next::Done)
    }

    fn is_html_font(&self, token: &TagToken) -> bool {
        const NUMBERS: [u32; 3] =
            [attribute_number("color"), attribute_number("face"), attribute_number("size")];
        NUMBERS.iter().any(|&number| self.value(token, number).is_some())
    }

    /// The tag with the capitals of its SVG name.
    fn svg_tag(&mut self, tag: Tag) -> Tag {
        if tag.known_name().is_some() {
            return tag;
        }
        match svg_name(self.writer.arena.tag_name(tag)) {
            Some(name) => self.writer.tag(name),
            None => tag,
        }
    }

    pub(super) fn enter_foreign(
        &mut self,
        token: &TagToken,
        name: Name,
    ) -> Result<(), FallbackReason> {
        if token.tag == Tag::ANNOTATION_XML {
            return Err(FallbackReason::AnnotationXml);
        }
        for attr in &mut self.writer.arena.attrs[token.attrs.0 as usize..token.attrs.1 as usize] {
            if attr.name == XMLNS {
                attr.name = PREFIXED_XMLNS;
            }
        }
        let node = self.insert_named(name, token.attrs, token.hidden)?;
        if !token.self_closing {
            self.push(node, name);
        }
        Ok(())
    }

    /// Processes an HTML tag, which ends the foreign elements around it.
    fn leave_foreign(&mut self, token: &TagToken) -> Step {
        while let Some(open) = self.stack.last() {
            let name = open.name;
            if name.is_html()
                || name.is_mathml_integration_point()
                || name.is_svg_integration_point()
            {
                break;
            }
            self.pop();
        }
        self.step(self.mode, token)
    }

    fn foreign_end(&mut self, token: &TagToken) -> Step {
        for index in (1..self.stack.len()).rev() {
            let name = self.stack[index].name;
            if name.is_html() && index + 1 < self.stack.len() {
                return self.step(self.mode, token);
            }
            if self.has_name(name.tag(), token.tag) {
                self.truncate(index);
                return Ok(Next::Done);
            }
        }
        Ok(Next::Done)
    }

    /// Whether two names are equal apart from case.
    fn has_name(&self, tag: Tag, other: Tag) -> bool {
        if tag == other {
            return true;
        }
        let may_differ = |tag: Tag| tag.known_name().is_none() || tag == Tag::FOREIGN_OBJECT;
        let arena = &self.writer.arena;
        may_differ(tag)
            && may_differ(other)
            && arena.tag_name(tag).eq_ignore_ascii_case(arena.tag_name(other))
    }
}

fn is_foreign_in(current: Name, token: &TagToken) -> bool {
    if token.is_end {
        return true;
    }
    if current.is_mathml_integration_point() {
        return matches!(token.tag, Tag::MGLYPH | Tag::MALIGNMARK);
    }
    !current.is_svg_integration_point()
}

/// Tags that cannot be foreign content.
#[rustfmt::skip]
fn breaks_out(token: &TagToken) -> bool {
    if token.is_end {
        return matches!(token.tag, Tag::BR | Tag::P);
    }
    matches!(
        token.tag,
        Tag::B | Tag::BIG | Tag::BLOCKQUOTE | Tag::BODY | Tag::BR | Tag::CENTER | Tag::CODE
            | Tag::DD | Tag::DIV | Tag::DL | Tag::DT | Tag::EM | Tag::EMBED | Tag::H1 | Tag::H2
            | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::HEAD | Tag::HR | Tag::I | Tag::IMG
            | Tag::LI | Tag::LISTING | Tag::MENU | Tag::META | Tag::NOBR | Tag::OL | Tag::P
            | Tag::PRE | Tag::RUBY | Tag::S | Tag::SMALL | Tag::SPAN | Tag::STRONG | Tag::STRIKE
            | Tag::SUB | Tag::SUP | Tag::TABLE | Tag::TT | Tag::U | Tag::UL | Tag::VAR
    )
}
