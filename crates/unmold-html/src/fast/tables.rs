//! Tree construction inside tables.

use super::name::{Name, Sets};
use super::parser::{FastParser, Formatting, Mode, Next, Step, TagToken};
use super::raw::NONE;
use super::rules::may_be_space;
use crate::fallback::FallbackReason;
use crate::tag::Tag;

impl FastParser<'_> {
    pub(super) fn in_table(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::CAPTION) => {
                self.pop_to(Sets::TABLE_SCOPE);
                self.formatting.push(Formatting::MARKER);
                self.insert(token)?;
                self.mode = Mode::InCaption;
            }
            (false, Tag::COLGROUP) => {
                self.pop_to(Sets::TABLE_SCOPE);
                self.insert(token)?;
                self.mode = Mode::InColumnGroup;
            }
            (false, Tag::COL) => {
                self.pop_to(Sets::TABLE_SCOPE);
                self.insert_implied(Tag::COLGROUP)?;
                return Ok(Next::Again(Mode::InColumnGroup));
            }
            (false, Tag::TBODY | Tag::TFOOT | Tag::THEAD) => {
                self.pop_to(Sets::TABLE_SCOPE);
                self.insert(token)?;
                self.mode = Mode::InTableBody;
            }
            (false, Tag::TD | Tag::TH | Tag::TR) => {
                self.pop_to(Sets::TABLE_SCOPE);
                self.insert_implied(Tag::TBODY)?;
                return Ok(Next::Again(Mode::InTableBody));
            }
            (false, Tag::TABLE) => {
                if self.is_in_scope(Tag::TABLE, Sets::TABLE_SCOPE) {
                    self.pop_through(Tag::TABLE);
                    return Ok(Next::Again(self.mode_of_stack()));
                }
            }
            (true, Tag::TABLE) => {
                if self.is_in_scope(Tag::TABLE, Sets::TABLE_SCOPE) {
                    self.pop_through(Tag::TABLE);
                    self.mode = self.mode_of_stack();
                }
            }
            (true, tag) if is_part_of_table(tag) || matches!(tag, Tag::BODY | Tag::HTML) => {}
            (false, Tag::STYLE | Tag::SCRIPT | Tag::TEMPLATE) | (true, Tag::TEMPLATE) => {
                return self.in_head(token);
            }
            (false, Tag::INPUT) if self.is_hidden_input(token) => {
                self.insert_void(token)?;
            }
            (false, Tag::FORM) => {
                if self.form == NONE {
                    self.form = self.insert_void(token)?;
                }
            }
            _ => return self.with_foster_parenting(|parser| parser.in_body(token)),
        }
        Ok(Next::Done)
    }

    /// Runs a rule with foster parenting: nodes that would go into the table go before it.
    fn with_foster_parenting<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        self.foster = true;
        let result = rule(self);
        self.foster = false;
        result
    }

    pub(super) fn text_in_table(&mut self, start: usize, end: usize) -> Result<(), FallbackReason> {
        if self.current().sets.intersects(Sets::FOSTERING) {
            self.table_text.push((start, end));
            return Ok(());
        }
        self.with_foster_parenting(|parser| {
            parser.reconstruct()?;
            parser.append_text(start, end)
        })
    }

    /// Inserts the held back text: into the table if it is white space, else before the table.
    pub(super) fn flush_table_text(&mut self) -> Result<(), FallbackReason> {
        if self.table_text.is_empty() {
            return Ok(());
        }
        // html5ever does not pass this text to its sink until now.
        self.note_event(self.at)?;
        let pending = std::mem::take(&mut self.table_text);
        let mut has_words = false;
        for &(start, end) in &pending {
            let text = self.html.as_bytes()[start..end].trim_ascii_start();
            if may_be_space(text) {
                return Err(FallbackReason::SpaceReference);
            }
            has_words |= !text.is_empty();
        }
        for &(start, end) in &pending {
            if has_words {
                self.with_foster_parenting(|parser| {
                    parser.reconstruct()?;
                    parser.append_text(start, end)
                })?;
            } else {
                self.append_text(start, end)?;
            }
        }
        self.table_text = pending;
        self.table_text.clear();
        Ok(())
    }

    pub(super) fn in_caption(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (true, Tag::TABLE | Tag::CAPTION) => self.end_caption(token),
            (false, tag) if is_part_of_table(tag) => self.end_caption(token),
            (true, tag) if is_part_of_table(tag) || matches!(tag, Tag::BODY | Tag::HTML) => {
                Ok(Next::Done)
            }
            _ => self.in_body(token),
        }
    }

    /// Closes the caption, if one is open. Unless the tag is the caption's end tag, it is processed
    /// again in the table.
    fn end_caption(&mut self, token: &TagToken) -> Step {
        if !self.is_in_scope(Tag::CAPTION, Sets::TABLE_SCOPE) {
            return Ok(Next::Done);
        }
        self.close_implied(None);
        self.pop_through(Tag::CAPTION);
        self.clear_formatting_to_marker();
        if token.is_end && token.tag == Tag::CAPTION {
            self.mode = Mode::InTable;
            return Ok(Next::Done);
        }
        Ok(Next::Again(Mode::InTable))
    }

    pub(super) fn in_column_group(&mut self, token: &TagToken) -> Step {
        let in_group = self.current().name == Name::html(Tag::COLGROUP);
        match (token.is_end, token.tag) {
            (false, Tag::HTML) => return self.in_body(token),
            (false, Tag::COL) => {
                self.insert_void(token)?;
            }
            (true, Tag::COLGROUP) => {
                if in_group {
                    self.pop();
                    self.mode = Mode::InTable;
                }
            }
            (true, Tag::COL) => {}
            (_, Tag::TEMPLATE) => return self.in_head(token),
            _ => {
                if in_group {
                    self.pop();
                    return Ok(Next::Again(Mode::InTable));
                }
            }
        }
        Ok(Next::Done)
    }

    pub(super) fn in_table_body(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::TR) => {
                self.pop_to(Sets::BODY_CONTEXT);
                self.insert(token)?;
                self.mode = Mode::InRow;
            }
            (false, Tag::TH | Tag::TD) => {
                self.pop_to(Sets::BODY_CONTEXT);
                self.insert_implied(Tag::TR)?;
                return Ok(Next::Again(Mode::InRow));
            }
            (true, Tag::TBODY | Tag::TFOOT | Tag::THEAD) => {
                if self.is_in_scope(token.tag, Sets::TABLE_SCOPE) {
                    self.pop_to(Sets::BODY_CONTEXT);
                    self.pop();
                    self.mode = Mode::InTable;
                }
            }
            (
                false,
                Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::TBODY | Tag::TFOOT | Tag::THEAD,
            )
            | (true, Tag::TABLE) => {
                if self.has_any_in_scope(Sets::TABLE_OUTER, Sets::TABLE_SCOPE) {
                    self.pop_to(Sets::BODY_CONTEXT);
                    self.pop();
                    return Ok(Next::Again(Mode::InTable));
                }
            }
            (
                true,
                Tag::BODY
                | Tag::CAPTION
                | Tag::COL
                | Tag::COLGROUP
                | Tag::HTML
                | Tag::TD
                | Tag::TH
                | Tag::TR,
            ) => {}
            _ => return self.in_table(token),
        }
        Ok(Next::Done)
    }

    pub(super) fn in_row(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (false, Tag::TH | Tag::TD) => {
                self.pop_to(Sets::ROW_CONTEXT);
                self.insert(token)?;
                self.mode = Mode::InCell;
                self.formatting.push(Formatting::MARKER);
            }
            (true, Tag::TR) => {
                if self.close_row() {
                    self.mode = Mode::InTableBody;
                }
            }
            (
                false,
                Tag::CAPTION
                | Tag::COL
                | Tag::COLGROUP
                | Tag::TBODY
                | Tag::TFOOT
                | Tag::THEAD
                | Tag::TR,
            )
            | (true, Tag::TABLE) => {
                if self.close_row() {
                    return Ok(Next::Again(Mode::InTableBody));
                }
            }
            (true, Tag::TBODY | Tag::TFOOT | Tag::THEAD) => {
                if self.is_in_scope(token.tag, Sets::TABLE_SCOPE) && self.close_row() {
                    return Ok(Next::Again(Mode::InTableBody));
                }
            }
            (
                true,
                Tag::BODY | Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::HTML | Tag::TD | Tag::TH,
            ) => {}
            _ => return self.in_table(token),
        }
        Ok(Next::Done)
    }

    /// Closes the row, if one is open; returns whether it did.
    fn close_row(&mut self) -> bool {
        if !self.is_in_scope(Tag::TR, Sets::TABLE_SCOPE) {
            return false;
        }
        self.pop_to(Sets::ROW_CONTEXT);
        self.pop();
        true
    }

    pub(super) fn in_cell(&mut self, token: &TagToken) -> Step {
        match (token.is_end, token.tag) {
            (true, Tag::TD | Tag::TH) => {
                if self.is_in_scope(token.tag, Sets::TABLE_SCOPE) {
                    self.close_implied(None);
                    self.pop_through(token.tag);
                    self.clear_formatting_to_marker();
                    self.mode = Mode::InRow;
                }
                Ok(Next::Done)
            }
            (false, tag) if is_part_of_table(tag) => {
                if !self.has_any_in_scope(Sets::CELL, Sets::TABLE_SCOPE) {
                    return Ok(Next::Done);
                }
                self.close_cell();
                Ok(Next::Again(Mode::InRow))
            }
            (true, Tag::BODY | Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::HTML) => {
                Ok(Next::Done)
            }
            (true, Tag::TABLE | Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TR) => {
                if !self.is_in_scope(token.tag, Sets::TABLE_SCOPE) {
                    return Ok(Next::Done);
                }
                self.close_cell();
                Ok(Next::Again(Mode::InRow))
            }
            _ => self.in_body(token),
        }
    }

    fn close_cell(&mut self) {
        self.close_implied(None);
        self.pop_through_set(Sets::CELL);
        self.clear_formatting_to_marker();
    }

    /// Pops elements until the current one is in one of the sets.
    fn pop_to(&mut self, sets: Sets) {
        while let Some(open) = self.stack.last()
            && !open.sets.intersects(sets)
        {
            self.pop();
        }
    }

    /// The insertion mode for the open elements ("reset the insertion mode appropriately").
    fn mode_of_stack(&self) -> Mode {
        for (index, open) in self.stack.iter().enumerate().rev() {
            if !open.name.is_html() {
                continue;
            }
            match open.name.tag() {
                Tag::TD | Tag::TH if index > 0 => return Mode::InCell,
                Tag::TR => return Mode::InRow,
                Tag::TBODY | Tag::THEAD | Tag::TFOOT => return Mode::InTableBody,
                Tag::CAPTION => return Mode::InCaption,
                Tag::COLGROUP => return Mode::InColumnGroup,
                Tag::TABLE => return Mode::InTable,
                Tag::HEAD if index > 0 => return Mode::InHead,
                Tag::BODY => return Mode::InBody,
                Tag::HTML => {
                    return if self.head == NONE { Mode::BeforeHead } else { Mode::AfterHead };
                }
                _ => {}
            }
        }
        Mode::InBody
    }
}

/// Tags that only occur in tables.
fn is_part_of_table(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::CAPTION
            | Tag::COL
            | Tag::COLGROUP
            | Tag::TBODY
            | Tag::TD
            | Tag::TFOOT
            | Tag::TH
            | Tag::THEAD
            | Tag::TR
    )
}
