//! Tree construction in all insertion modes but those of tables, which are in `tables`.

use super::name::{Name, Sets};
use super::parser::{FastParser, Formatting, Mode, Next, Step, TagToken};
use super::raw::{DOCUMENT, NONE};
use crate::fallback::FallbackReason;
use crate::names::attribute_number;
use crate::tag::{Flow, Tag};

/// What an element without mark-up inside contains.
enum RawKind {
    /// Text that is never shown, and is dropped.
    Dropped,
    /// Text with character references.
    Rcdata,
    /// Text without character references.
    Raw,
}

impl FastParser<'_> {
    /// Processes a tag, in as many modes as it leads through.
    pub(super) fn process(&mut self, token: TagToken) -> Result<(), FallbackReason> {
        if !self.table_text.is_empty() {
            self.flush_table_text()?;
        }
        loop {
            let next = if self.is_foreign_tag(&token) {
                self.foreign_tag(&token)?
            } else {
                self.step(self.mode, &token)?
            };
            match next {
                Next::Done => return Ok(()),
                Next::Again(mode) => self.mode = mode,
            }
        }
    }

    pub(super) fn step(&mut self, mode: Mode, token: &TagToken) -> Step {
        match mode {
            Mode::InBody => self.in_body(token),
            Mode::InCell => self.in_cell(token),
            Mode::InRow => self.in_row(token),
            Mode::InTable => self.in_table(token),
            Mode::InTableBody => self.in_table_body(token),
            Mode::InCaption => self.in_caption(token),
            Mode::InColumnGroup => self.in_column_group(token),
            Mode::InHead => self.in_head(token),
            Mode::Initial => {
                self.quirks = true;
                Ok(Next::Again(Mode::BeforeHtml))
            }
            Mode::BeforeHtml => self.before_html(token),
            Mode::BeforeHead => self.before_head(token),
            Mode::AfterHead => self.after_head(token),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body(mode, token),
        }
    }

    fn before_html(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::HTML) => {
                self.create_root(token.attrs)?;
                self.mode = Mode::BeforeHead;
                Ok(Next::Done)
            }
            (true, Tag::HEAD | Tag::BODY | Tag::HTML | Tag::BR) | (false, _) => {
                self.create_root((0, 0))?;
                Ok(Next::Again(Mode::BeforeHead))
            }
            _ => Ok(Next::Done),
        }
    }

    fn create_root(&mut self, attrs: (u32, u32)) -> Result<(), FallbackReason> {
        self.note_event(self.at)?;
        let name = Name::html(Tag::HTML);
        let node = self.tree.append_new(DOCUMENT, name, attrs.0, attrs.1, false);
        self.push(node, name);
        Ok(())
    }

    fn before_head(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::HTML) => self.in_body(token),
            (false, Tag::HEAD) => {
                self.head = self.insert(token)?;
                self.mode = Mode::InHead;
                Ok(Next::Done)
            }
            (true, Tag::HEAD | Tag::BODY | Tag::HTML | Tag::BR) | (false, _) => {
                self.head = self.insert_implied(Tag::HEAD)?;
                Ok(Next::Again(Mode::InHead))
            }
            _ => Ok(Next::Done),
        }
    }

    pub(super) fn in_head(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::HTML) => return self.in_body(token),
            (false, Tag::BASE | Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META) => {
                self.insert_void(token)?;
            }
            (false, Tag::TITLE) => self.raw_element(token, RawKind::Rcdata)?,
            (false, Tag::NOFRAMES | Tag::STYLE | Tag::NOSCRIPT | Tag::SCRIPT) => {
                self.raw_element(token, RawKind::Dropped)?;
            }
            (true, Tag::HEAD) => {
                self.pop();
                self.mode = Mode::AfterHead;
            }
            (false, Tag::TEMPLATE) => return Err(FallbackReason::Template),
            (false, Tag::HEAD) => {}
            (true, Tag::BODY | Tag::HTML | Tag::BR) | (false, _) => {
                self.pop();
                return Ok(Next::Again(Mode::AfterHead));
            }
            _ => {}
        }
        Ok(Next::Done)
    }

    fn after_head(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::HTML) => return self.in_body(token),
            (false, Tag::BODY) => {
                self.insert(token)?;
                self.mode = Mode::InBody;
            }
            (false, Tag::FRAMESET) => return Err(FallbackReason::Frameset),
            (
                false,
                Tag::BASE
                | Tag::BASEFONT
                | Tag::BGSOUND
                | Tag::LINK
                | Tag::META
                | Tag::NOFRAMES
                | Tag::SCRIPT
                | Tag::STYLE
                | Tag::TEMPLATE
                | Tag::TITLE,
            ) => {
                self.push(self.head, Name::html(Tag::HEAD));
                self.in_head(token)?;
                self.remove_from_stack(self.head);
            }
            (false, Tag::HEAD) => {}
            (true, Tag::BODY | Tag::HTML | Tag::BR) | (false, _) => {
                self.insert_implied(Tag::BODY)?;
                return Ok(Next::Again(Mode::InBody));
            }
            _ => {}
        }
        Ok(Next::Done)
    }

    fn after_body(&mut self, mode: Mode, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::HTML) => self.in_body(token),
            (true, Tag::HTML) if mode == Mode::AfterBody => {
                self.mode = Mode::AfterAfterBody;
                Ok(Next::Done)
            }
            _ => Ok(Next::Again(Mode::InBody)),
        }
    }

    pub(super) fn in_body(&mut self, token: &TagToken) -> Step {
        if token.is_end { self.in_body_end(token) } else { self.in_body_start(token) }
    }

    fn in_body_start(&mut self, token: &TagToken) -> Step {
        match token.tag {
            Tag::DIV
            | Tag::P
            | Tag::UL
            | Tag::OL
            | Tag::DL
            | Tag::SECTION
            | Tag::NAV
            | Tag::HEADER
            | Tag::FOOTER
            | Tag::ARTICLE
            | Tag::ASIDE
            | Tag::ADDRESS
            | Tag::BLOCKQUOTE
            | Tag::CENTER
            | Tag::DETAILS
            | Tag::DIALOG
            | Tag::DIR
            | Tag::FIELDSET
            | Tag::FIGCAPTION
            | Tag::FIGURE
            | Tag::HGROUP
            | Tag::MAIN
            | Tag::MENU
            | Tag::SEARCH
            | Tag::SUMMARY => {
                self.close_p_in_scope();
                self.insert(token)?;
            }
            Tag::A => {
                self.close_misnested_a()?;
                self.reconstruct()?;
                self.insert_formatting(token)?;
            }
            Tag::B
            | Tag::BIG
            | Tag::CODE
            | Tag::EM
            | Tag::FONT
            | Tag::I
            | Tag::S
            | Tag::SMALL
            | Tag::STRIKE
            | Tag::STRONG
            | Tag::TT
            | Tag::U => {
                self.reconstruct()?;
                self.insert_formatting(token)?;
            }
            Tag::LI => self.list_item(token, Tag::LI, Tag::LI)?,
            Tag::DD | Tag::DT => self.list_item(token, Tag::DD, Tag::DT)?,
            Tag::AREA | Tag::BR | Tag::EMBED | Tag::IMG | Tag::KEYGEN | Tag::WBR => {
                self.reconstruct()?;
                self.insert_void(token)?;
            }
            Tag::IMAGE => return self.in_body_start(&TagToken { tag: Tag::IMG, ..*token }),
            Tag::INPUT => {
                if self.is_in_scope(Tag::SELECT, Sets::SCOPE) {
                    self.pop_through(Tag::SELECT);
                }
                self.reconstruct()?;
                self.insert_void(token)?;
            }
            Tag::PARAM | Tag::SOURCE | Tag::TRACK => {
                self.insert_void(token)?;
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.close_p_in_scope();
                if self.current().sets.intersects(Sets::HEADING) {
                    self.pop();
                }
                self.insert(token)?;
            }
            Tag::HR => {
                self.close_p_in_scope();
                if self.is_in_scope(Tag::SELECT, Sets::SCOPE) {
                    self.close_implied(None);
                }
                self.insert_void(token)?;
            }
            Tag::TABLE => {
                if !self.quirks {
                    self.close_p_in_scope();
                }
                self.insert(token)?;
                self.mode = Mode::InTable;
            }
            Tag::FORM => {
                if self.form == NONE {
                    self.close_p_in_scope();
                    self.form = self.insert(token)?;
                }
            }
            Tag::BUTTON => {
                if self.is_in_scope(Tag::BUTTON, Sets::SCOPE) {
                    self.close_implied(None);
                    self.pop_through(Tag::BUTTON);
                }
                self.reconstruct()?;
                self.insert(token)?;
            }
            Tag::SELECT if self.is_in_scope(Tag::SELECT, Sets::SCOPE) => {
                self.pop_through(Tag::SELECT)
            }
            Tag::SELECT => {
                self.reconstruct()?;
                self.insert(token)?;
            }
            Tag::OPTION | Tag::OPTGROUP => {
                if self.is_in_scope(Tag::SELECT, Sets::SCOPE) {
                    self.close_implied((token.tag == Tag::OPTION).then_some(Tag::OPTGROUP));
                } else if self.current().name == Name::html(Tag::OPTION) {
                    self.pop();
                }
                self.reconstruct()?;
                self.insert(token)?;
            }
            Tag::SCRIPT
            | Tag::STYLE
            | Tag::LINK
            | Tag::META
            | Tag::BASE
            | Tag::BASEFONT
            | Tag::BGSOUND
            | Tag::NOFRAMES
            | Tag::TITLE
            | Tag::TEMPLATE => return self.in_head(token),
            Tag::PRE | Tag::LISTING => {
                self.close_p_in_scope();
                self.insert(token)?;
                self.skip_first_line_end()?;
            }
            Tag::TEXTAREA => {
                self.insert(token)?;
                self.skip_first_line_end()?;
                self.raw_contents(Tag::TEXTAREA, RawKind::Rcdata)?;
            }
            Tag::IFRAME | Tag::NOEMBED | Tag::NOSCRIPT => {
                self.raw_element(token, RawKind::Dropped)?
            }
            Tag::XMP => {
                self.close_p_in_scope();
                self.reconstruct()?;
                self.raw_element(token, RawKind::Raw)?;
            }
            Tag::NOBR => {
                self.reconstruct()?;
                if self.is_in_scope(Tag::NOBR, Sets::SCOPE) {
                    self.adoption_agency(Tag::NOBR)?;
                    self.reconstruct()?;
                }
                self.insert_formatting(token)?;
            }
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                self.reconstruct()?;
                self.insert(token)?;
                self.formatting.push(Formatting::MARKER);
            }
            Tag::RB | Tag::RTC => {
                if self.is_in_scope(Tag::RUBY, Sets::SCOPE) {
                    self.close_implied(None);
                }
                self.insert(token)?;
            }
            Tag::RP | Tag::RT => {
                if self.is_in_scope(Tag::RUBY, Sets::SCOPE) {
                    self.close_implied(Some(Tag::RTC));
                }
                self.insert(token)?;
            }
            Tag::SVG => {
                self.reconstruct()?;
                self.enter_foreign(token, Name::svg(Tag::SVG))?;
            }
            Tag::MATH => {
                self.reconstruct()?;
                self.enter_foreign(token, Name::mathml(Tag::MATH))?;
            }
            Tag::HTML => {
                if let Some(&root) = self.stack.first() {
                    self.add_attributes(root.node, token.attrs)?;
                }
            }
            Tag::BODY => {
                if let Some(&body) =
                    self.stack.get(1).filter(|open| open.name == Name::html(Tag::BODY))
                {
                    self.add_attributes(body.node, token.attrs)?;
                }
            }
            Tag::FRAMESET => return Err(FallbackReason::Frameset),
            Tag::PLAINTEXT => return Err(FallbackReason::Plaintext),
            Tag::CAPTION
            | Tag::COL
            | Tag::COLGROUP
            | Tag::FRAME
            | Tag::HEAD
            | Tag::TBODY
            | Tag::TD
            | Tag::TFOOT
            | Tag::TH
            | Tag::THEAD
            | Tag::TR => {}
            _ => {
                self.reconstruct()?;
                self.insert(token)?;
            }
        }
        Ok(Next::Done)
    }

    fn in_body_end(&mut self, token: &TagToken) -> Step {
        match token.tag {
            Tag::DIV
            | Tag::UL
            | Tag::OL
            | Tag::DL
            | Tag::SECTION
            | Tag::NAV
            | Tag::HEADER
            | Tag::FOOTER
            | Tag::ARTICLE
            | Tag::ASIDE
            | Tag::ADDRESS
            | Tag::BLOCKQUOTE
            | Tag::BUTTON
            | Tag::CENTER
            | Tag::DETAILS
            | Tag::DIALOG
            | Tag::DIR
            | Tag::FIELDSET
            | Tag::FIGCAPTION
            | Tag::FIGURE
            | Tag::HGROUP
            | Tag::LISTING
            | Tag::MAIN
            | Tag::MENU
            | Tag::PRE
            | Tag::SEARCH
            | Tag::SELECT
            | Tag::SUMMARY => {
                if self.current().name == Name::html(token.tag) {
                    self.pop();
                } else if self.is_in_scope(token.tag, Sets::SCOPE) {
                    self.close_implied(None);
                    self.pop_through(token.tag);
                }
            }
            Tag::A
            | Tag::B
            | Tag::BIG
            | Tag::CODE
            | Tag::EM
            | Tag::FONT
            | Tag::I
            | Tag::NOBR
            | Tag::S
            | Tag::SMALL
            | Tag::STRIKE
            | Tag::STRONG
            | Tag::TT
            | Tag::U => self.adoption_agency(token.tag)?,
            Tag::P => {
                if !self.is_in_scope(Tag::P, Sets::BUTTON_SCOPE) {
                    self.insert_implied(Tag::P)?;
                }
                self.close_p();
            }
            Tag::LI | Tag::DD | Tag::DT => {
                let scope = if token.tag == Tag::LI { Sets::LIST_SCOPE } else { Sets::SCOPE };
                if self.is_in_scope(token.tag, scope) {
                    self.close_implied(Some(token.tag));
                    self.pop_through(token.tag);
                }
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                if self.has_any_in_scope(Sets::HEADING, Sets::SCOPE) {
                    self.close_implied(None);
                    self.pop_through_set(Sets::HEADING);
                }
            }
            Tag::FORM => self.end_form(),
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                if self.is_in_scope(token.tag, Sets::SCOPE) {
                    self.close_implied(None);
                    self.pop_through(token.tag);
                    self.clear_formatting_to_marker();
                }
            }
            Tag::BR => {
                let attrs = (0, 0);
                return self.in_body_start(&TagToken {
                    is_end: false,
                    hidden: false,
                    attrs,
                    ..*token
                });
            }
            Tag::BODY => {
                if self.is_in_scope(Tag::BODY, Sets::SCOPE) {
                    self.mode = Mode::AfterBody;
                }
            }
            Tag::HTML => {
                if self.is_in_scope(Tag::BODY, Sets::SCOPE) {
                    return Ok(Next::Again(Mode::AfterBody));
                }
            }
            Tag::TEMPLATE => {}
            _ => self.any_other_end(token.tag),
        }
        Ok(Next::Done)
    }

    /// Closes the nearest element with this name, unless a special element is in between.
    pub(super) fn any_other_end(&mut self, tag: Tag) {
        let name = Name::html(tag);
        let found = self
            .stack
            .iter()
            .rposition(|open| open.name == name || open.sets.intersects(Sets::SPECIAL));
        if let Some(index) = found.filter(|&index| self.stack[index].name == name) {
            self.close_implied(Some(tag));
            self.truncate(index);
        }
    }

    fn end_form(&mut self) {
        let form = std::mem::replace(&mut self.form, NONE);
        if form == NONE || !self.is_node_in_scope(form) {
            return;
        }
        self.close_implied(None);
        self.remove_from_stack(form);
    }

    /// Inserts a list item; it closes the previous one, but not one of an outer list.
    fn list_item(&mut self, token: &TagToken, one: Tag, other: Tag) -> Result<(), FallbackReason> {
        let (one, other) = (Name::html(one), Name::html(other));
        for index in (0..self.stack.len()).rev() {
            let open = self.stack[index];
            if open.name == one || open.name == other {
                self.close_implied(Some(open.name.tag()));
                self.pop_through(open.name.tag());
                break;
            }
            let passes = matches!(open.name.tag(), Tag::ADDRESS | Tag::DIV | Tag::P);
            if open.sets.intersects(Sets::SPECIAL) && !passes {
                break;
            }
        }
        self.close_p_in_scope();
        self.insert(token)?;
        Ok(())
    }

    /// Inserts an element without mark-up inside, with its contents.
    fn raw_element(&mut self, token: &TagToken, kind: RawKind) -> Result<(), FallbackReason> {
        self.insert(token)?;
        self.raw_contents(token.tag, kind)
    }

    fn raw_contents(&mut self, tag: Tag, kind: RawKind) -> Result<(), FallbackReason> {
        let content = self.raw_text(tag)?;
        match kind {
            RawKind::Dropped => {}
            RawKind::Rcdata => self.append_raw_text(content, false),
            RawKind::Raw => self.append_raw_text(content, true),
        }
        self.pop();
        Ok(())
    }

    /// Skips a line end right after `<pre>` or `<textarea>`, which is not part of the text.
    fn skip_first_line_end(&mut self) -> Result<(), FallbackReason> {
        let rest = &self.html.as_bytes()[self.at..];
        match rest {
            [b'\r', b'\n', ..] => self.at += 2,
            [b'\r' | b'\n', ..] => self.at += 1,
            [b'&', b'#' | b'N', ..] => return Err(FallbackReason::SpaceReference),
            _ => {}
        }
        Ok(())
    }

    /// Processes the text between two pieces of mark-up.
    pub(super) fn text(&mut self, start: usize, end: usize) -> Result<(), FallbackReason> {
        let mut start = start;
        while start < end {
            let current = self.current();
            let mathml_or_svg = !current.name.is_html() && current.name != Name::ROOT;
            let integrates = current.name.is_svg_integration_point()
                || current.name.is_mathml_integration_point();
            if mathml_or_svg && !integrates {
                return self.append_text(start, end);
            }
            match self.mode {
                Mode::InBody | Mode::InCell | Mode::InCaption => {
                    self.reconstruct()?;
                    if self.is_redundant_space(start, end) {
                        return self.skip_space(start, end);
                    }
                    return self.append_text(start, end);
                }
                Mode::InTable | Mode::InTableBody | Mode::InRow => {
                    return self.text_in_table(start, end);
                }
                _ => start = self.text_by_spaces(start, end)?,
            }
        }
        Ok(())
    }

    /// Whether a text is white space next to the border of a block, which already separates the
    /// texts around it. Half of the texts between tags are.
    fn is_redundant_space(&self, start: usize, end: usize) -> bool {
        let bytes = &self.html.as_bytes()[start..end];
        if !bytes[0].is_ascii_whitespace() || !bytes.iter().all(u8::is_ascii_whitespace) {
            return false;
        }
        let keeps_space =
            [Tag::PRE, Tag::LISTING].iter().any(|tag| self.open_count[tag.0 as usize] > 0);
        if keeps_space || self.foreign_keeping_space > 0 || self.foster {
            return false;
        }
        let parent = self.current();
        match self.tree.previous(parent.node, NONE) {
            NONE => parent.name.tag().flow() == Flow::Block,
            neighbour => {
                let node = self.tree.node(neighbour);
                let tag = node.name.tag();
                let is_shown = !node.flag && !tag.is_never_shown();
                node.name != Name::TEXT && is_shown && !node.is_open && tag.flow() == Flow::Block
            }
        }
    }

    /// Skips a text, but counts it as html5ever would.
    fn skip_space(&mut self, start: usize, end: usize) -> Result<(), FallbackReason> {
        self.note_text_event(start, end)?;
        self.skipped_nodes += 1;
        let depth = self.tree.depth(self.current().node) + 1;
        self.tree.deepest = self.tree.deepest.max(depth);
        Ok(())
    }

    /// Processes text in a mode that allows only white space: consumes the white space, and leaves
    /// the mode for other text. Returns where the remaining text starts.
    fn text_by_spaces(&mut self, start: usize, end: usize) -> Result<usize, FallbackReason> {
        let bytes = &self.html.as_bytes()[start..end];
        let spaces =
            bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
        let rest = start + spaces;
        if spaces > 0 {
            match self.mode {
                Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => {}
                Mode::AfterBody | Mode::AfterAfterBody => {
                    self.reconstruct()?;
                    self.append_text(start, rest)?;
                }
                _ => self.append_text(start, rest)?,
            }
            return Ok(rest);
        }
        if may_be_space(bytes) {
            return Err(FallbackReason::SpaceReference);
        }
        match self.mode {
            Mode::Initial => {
                self.quirks = true;
                self.mode = Mode::BeforeHtml;
            }
            Mode::BeforeHtml => {
                self.create_root((0, 0))?;
                self.mode = Mode::BeforeHead;
            }
            Mode::BeforeHead => {
                self.head = self.insert_implied(Tag::HEAD)?;
                self.mode = Mode::InHead;
            }
            Mode::InHead => {
                self.pop();
                self.mode = Mode::AfterHead;
            }
            Mode::AfterHead => {
                self.insert_implied(Tag::BODY)?;
                self.mode = Mode::InBody;
            }
            Mode::InColumnGroup => {
                if self.current().name != Name::html(Tag::COLGROUP) {
                    return Err(FallbackReason::Template);
                }
                self.pop();
                self.mode = Mode::InTable;
            }
            _ => self.mode = Mode::InBody,
        }
        Ok(rest)
    }

    /// Creates what every page has and this one lacks so far, such as a body.
    pub(super) fn end_of_file(&mut self) -> Result<(), FallbackReason> {
        self.flush_table_text()?;
        if self.mode == Mode::Initial {
            self.quirks = true;
            self.mode = Mode::BeforeHtml;
        }
        if self.mode == Mode::BeforeHtml {
            self.create_root((0, 0))?;
            self.mode = Mode::BeforeHead;
        }
        if self.mode == Mode::BeforeHead {
            self.head = self.insert_implied(Tag::HEAD)?;
            self.mode = Mode::InHead;
        }
        if self.mode == Mode::InHead {
            self.pop();
            self.mode = Mode::AfterHead;
        }
        if self.mode == Mode::AfterHead {
            self.insert_implied(Tag::BODY)?;
        }
        self.check_limits()
    }

    /// The value of the tag's attribute with this number.
    pub(super) fn value(&self, token: &TagToken, number: u32) -> Option<&str> {
        let arena = &self.writer.arena;
        let attrs = &arena.attrs[token.attrs.0 as usize..token.attrs.1 as usize];
        let attr = attrs.iter().find(|attr| attr.name == number)?;
        Some(arena.attribute(attr).1)
    }

    pub(super) fn is_hidden_input(&self, token: &TagToken) -> bool {
        const TYPE: u32 = attribute_number("type");
        self.value(token, TYPE).is_some_and(|value| value.eq_ignore_ascii_case("hidden"))
    }
}

/// Whether text that does not start with literal white space may start with a reference to white
/// space.
pub(super) fn may_be_space(bytes: &[u8]) -> bool {
    matches!(bytes, [b'&', b'#' | b'T' | b'N', ..])
}
