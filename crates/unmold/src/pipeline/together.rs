//! What belongs together stays or goes together.
//!
//! Verdicts on single blocks tear things apart: `SYNOPSIS` is on every page of a manual and goes,
//! the section below it stays; the labels of a table go, its values stay; half of a list goes. This
//! pass looks at what the neighbours got:
//!
//! * a heading stays with the text that it heads,
//! * the label of a table row, of a definition or before a colon stays with its value,
//! * a table of which most rows stay, stays whole,
//! * a simple list stays whole or goes.
//!
//! All rules are monotone: what stays of a page only grows with what stayed before. So the article
//! is a part of the main content after this pass if it was one before. Thresholds were chosen on
//! the labelled sites such that no set scores worse.
//!
//! time and space: linear in the page.

use std::collections::BTreeMap;

use crate::marks::Marks;
use crate::page::{Gap, NodeId, NodeRange, Page, Tag};

/// Longer texts are no labels.
const MAX_LABEL: usize = 40;
/// Longer texts are no headings, and longer terms no labels of definitions.
const MAX_HEADING: usize = 120;
/// Longer cells hold more than data, and longer items more than an entry.
const MAX_ENTRY: usize = 200;
/// An item of a list has at most so many lines.
const MAX_LINES: usize = 2;
/// Tables with fewer rows are bars of buttons, unless their rows are labels with values.
const MIN_ROWS: usize = 3;
/// A table stays if this share of its rows does, in percent; labels with values need less: a value
/// that many pages share is still one.
const ROWS_STAY: usize = 50;
const LABELLED_ROWS_STAY: usize = 15;
/// A list of links stays if this share of it does, in percent; another list needs less.
const LINKS_STAY: usize = 40;
const ITEMS_STAY: usize = 25;
/// From this share of the page's text on, in percent, a list is what the page is about.
const MAIN_LIST: usize = 20;

/// What changed: the text, and why.
pub(super) type Change = (NodeId, &'static str);

/// Changes the marks of texts that belong to others, except in `fixed`. Returns these texts, and
/// why.
pub(super) fn keep_together(
    page: &Page,
    marks: &mut Marks,
    fixed: impl Iterator<Item = NodeRange>,
) -> Vec<Change> {
    let mut pass = Pass::new(page, marks);
    for range in fixed {
        range.for_each(|id| pass.is_fixed[id.index()] = true);
    }
    pass.tables();
    pass.definitions();
    pass.lists();
    pass.labels();
    pass.headings();
    let changes = pass.changes;
    let threshold = marks.threshold();
    for &(id, why) in &changes {
        let value = if why == GOES { threshold } else { (threshold - 0.01).max(0.0) };
        let source = marks.source(id);
        marks.set(id, value, source);
    }
    if !changes.is_empty() {
        marks.lift_to_elements(page);
    }
    changes
}

const HEADS: &str = "it heads text that stays";
const LABELS: &str = "it is the label of a value that stays";
const IN_TABLE: &str = "most rows of its table stay";
const IN_LIST: &str = "most of its list stays";
const GOES: &str = "most of its list goes";

/// How much visible text there is.
#[derive(Clone, Copy, Default)]
struct Extent {
    length: usize,
    in_links: usize,
    lines: usize,
}

struct Pass<'a> {
    page: &'a Page,
    /// Whether each node is a text that stays.
    stays: Vec<bool>,
    /// Whether each node is one that must not change.
    is_fixed: Vec<bool>,
    /// The visible texts before each node.
    before: Vec<Extent>,
    changes: Vec<Change>,
}

impl<'a> Pass<'a> {
    fn new(page: &'a Page, marks: &Marks) -> Pass<'a> {
        let stays = |id: NodeId| page.is_text(id) && !marks.is_template(id);
        let mut before = vec![Extent::default()];
        let mut link_end = NodeId::ROOT;
        for id in page.nodes() {
            if page.tag(id) == Tag::A {
                link_end = link_end.max(page.subtree(id).end);
            }
            let Extent { length, in_links, lines } = before[id.index()];
            let begins_line = page.is_text(id) && page.gap(id) == Gap::Line;
            let own = if page.body().contains(id) { page.text(id).len() } else { 0 };
            before.push(Extent {
                length: length + own,
                in_links: in_links + if id < link_end { own } else { 0 },
                lines: lines + usize::from(begins_line),
            });
        }
        let stays = page.nodes().map(stays).collect();
        let is_fixed = vec![false; page.len() as usize];
        Pass { page, stays, is_fixed, before, changes: Vec::new() }
    }

    fn texts(&self, range: NodeRange) -> impl Iterator<Item = NodeId> + 'a {
        let page = self.page;
        range.filter(move |&id| page.is_text(id))
    }

    fn any_stays(&self, mut range: NodeRange) -> bool {
        range.any(|id| self.stays[id.index()])
    }

    fn extent(&self, range: &NodeRange) -> Extent {
        if range.is_empty() {
            return Extent::default();
        }
        let (start, end) = (self.before[range.start.index()], self.before[range.end.index()]);
        Extent {
            length: end.length - start.length,
            in_links: end.in_links - start.in_links,
            lines: (end.lines - start.lines).max(1),
        }
    }

    fn length(&self, range: &NodeRange) -> usize {
        self.extent(range).length
    }

    fn is_short_line(&self, range: &NodeRange, max: usize) -> bool {
        let extent = self.extent(range);
        (1..=max).contains(&extent.length) && extent.lines == 1
    }

    /// Whether most of the text is in links, as in menus.
    fn is_linked(&self, range: &NodeRange) -> bool {
        let extent = self.extent(range);
        2 * extent.in_links > extent.length
    }

    fn set(&mut self, range: NodeRange, stays: bool, why: &'static str) {
        let page = self.page;
        for id in range.filter(|&id| page.is_text(id)) {
            if self.stays[id.index()] != stays && !self.is_fixed[id.index()] {
                self.stays[id.index()] = stays;
                self.changes.push((id, why));
            }
        }
    }

    /// Rows keep their labels, and tables of data their rows.
    fn tables(&mut self) {
        let page = self.page;
        let tables: Vec<NodeId> = page.body().filter(|&id| page.tag(id) == Tag::TABLE).collect();
        for (at, &table) in tables.iter().enumerate() {
            let inside = page.subtree(table);
            let holds_table = tables.get(at + 1).is_some_and(|&next| next < inside.end);
            if !holds_table && !self.is_linked(&inside) && self.any_stays(inside.clone()) {
                self.table(inside);
            }
        }
    }

    fn table(&mut self, table: NodeRange) {
        let page = self.page;
        let rows: Vec<NodeId> = table.clone().filter(|&id| page.tag(id) == Tag::TR).collect();
        let (mut with_text, mut staying) = (0, 0);
        let (mut is_data, mut has_labels) = (true, true);
        for &row in &rows {
            let cells: Vec<NodeRange> = page
                .children(row)
                .filter(|&id| matches!(page.tag(id), Tag::TD | Tag::TH))
                .map(|id| page.subtree(id))
                .filter(|cell| self.length(cell) > 0)
                .collect();
            is_data &= cells.iter().all(|cell| self.is_short_line(cell, MAX_ENTRY));
            has_labels &=
                cells.is_empty() || cells.len() == 2 && self.is_short_line(&cells[0], MAX_LABEL);
            with_text += usize::from(!cells.is_empty());
            staying += usize::from(cells.iter().any(|cell| self.any_stays(cell.clone())));
            self.row(&cells);
        }
        let (min_rows, min) =
            if has_labels { (2, LABELLED_ROWS_STAY) } else { (MIN_ROWS, ROWS_STAY) };
        if is_data && with_text >= min_rows && staying > 0 && 100 * staying >= min * with_text {
            self.set(table, true, IN_TABLE);
        }
    }

    /// The first cell is the label of the others.
    fn row(&mut self, cells: &[NodeRange]) {
        let Some((label, values)) = cells.split_first() else { return };
        let stays =
            |cell: &NodeRange| self.length(cell) <= MAX_ENTRY && self.any_stays(cell.clone());
        let value_stays = values.iter().any(stays);
        if value_stays && self.is_short_line(label, MAX_LABEL) && !self.is_linked(label) {
            self.set(label.clone(), true, LABELS);
        }
    }

    /// Terms stay with their definitions.
    fn definitions(&mut self) {
        let page = self.page;
        for list in page.body().filter(|&id| page.tag(id) == Tag::DL) {
            let children: Vec<NodeId> = page.children(list).collect();
            let mut is_defined = false;
            let mut after = Tag::DT;
            for child in children.into_iter().rev() {
                let tag = page.tag(child);
                let inside = page.subtree(child);
                if tag == Tag::DD {
                    // Several terms may share a definition, and a term may have several.
                    is_defined &= after == Tag::DD;
                    is_defined |= self.mostly_stays(inside);
                } else if tag == Tag::DT && is_defined && self.is_short_line(&inside, MAX_HEADING) {
                    self.set(inside, true, LABELS);
                }
                after = tag;
            }
        }
    }

    fn mostly_stays(&self, range: NodeRange) -> bool {
        let staying: usize = self
            .texts(range.clone())
            .filter(|id| self.stays[id.index()])
            .map(|id| self.page.text(id).len())
            .sum();
        staying > 0 && 2 * staying >= self.length(&range)
    }

    /// Simple lists stay whole or go.
    fn lists(&mut self) {
        let total = self.length(&self.page.body());
        for list in Lists::of(self.page).0.into_values() {
            if list.items.len() < 2 || !list.is_simple() {
                continue;
            }
            let (mut all, mut staying, mut links) = (0, 0, 0);
            for item in list.items.values() {
                let stays = item.texts.iter().any(|id| self.stays[id.index()]);
                all += item.length;
                links += item.links;
                staying += if stays { item.length } else { 0 };
            }
            let min = if 2 * links > all { LINKS_STAY } else { ITEMS_STAY };
            let (stays, why) = match 100 * staying >= min * all {
                true => (true, IN_LIST),
                false if 100 * all < MAIN_LIST * total => (false, GOES),
                false => continue,
            };
            if staying > 0 {
                for &id in list.items.values().flat_map(|item| &item.texts) {
                    self.set(NodeRange::of(id), stays, why);
                }
            }
        }
    }

    /// A label before a colon stays with what follows it.
    fn labels(&mut self) {
        let texts: Vec<NodeId> = self.page.visible_texts().collect();
        for pair in texts.windows(2) {
            let [label, value] = [pair[0], pair[1]];
            let text = self.page.text(label);
            let is_label = text.len() <= MAX_LABEL
                && text.ends_with([':', '：'])
                && self.page.gap(label) == Gap::Line;
            if is_label && self.stays[value.index()] && self.are_near(label, value) {
                self.set(self.page.subtree(label), true, LABELS);
            }
        }
    }

    /// Whether a small element holds both.
    fn are_near(&self, label: NodeId, value: NodeId) -> bool {
        let around = self.page.ancestors(label).take(3);
        around
            .map(|id| self.page.subtree(id))
            .any(|range| range.contains(value) && self.length(&range) <= MAX_ENTRY)
    }

    /// Headings stay with what they head.
    fn headings(&mut self) {
        let page = self.page;
        let headings: Vec<(NodeId, u8)> =
            page.body().filter_map(|id| Some((id, level(page.tag(id))?))).collect();
        let sums = Sums::of(page, &self.stays, &headings);
        let mut after: Vec<(NodeId, u8)> = Vec::new();
        for &(id, level) in headings.iter().rev() {
            // Of the headings after this one, those that end its section.
            while after.last().is_some_and(|&(_, other)| other > level) {
                after.pop();
            }
            let end = after.last().map_or(page.body().end, |&(next, _)| next);
            after.push((id, level));
            let own = page.subtree(id);
            if !self.is_short_line(&own, MAX_HEADING) {
                continue;
            }
            let section = NodeRange::new(own.end, end.min(sums.container_end(page, id)));
            let is_inside = level > 1 || sums.any_before(id);
            if is_inside && (self.next_stays(&section) || self.section_stays(section, &sums)) {
                self.set(own, true, HEADS);
            }
        }
    }

    /// Whether most of the first element of a section stays, whatever follows: below the references
    /// of an article are the links of the site.
    fn next_stays(&self, section: &NodeRange) -> bool {
        section.start < section.end && self.mostly_stays(self.page.subtree(section.start))
    }

    fn section_stays(&self, section: NodeRange, sums: &Sums) -> bool {
        let (all, staying) = sums.in_range(&section);
        let is_next = self.texts(section).next().is_some_and(|next| self.stays[next.index()]);
        staying > 0 && 2 * staying >= all && (is_next || 4 * staying >= 3 * all)
    }
}

fn level(tag: Tag) -> Option<u8> {
    let levels = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];
    levels.iter().zip(1..).find(|&(&heading, _)| heading == tag).map(|(_, level)| level)
}

/// Lengths of the texts before each node, those of headings left out.
struct Sums {
    all: Vec<usize>,
    staying: Vec<usize>,
}

impl Sums {
    fn of(page: &Page, stays: &[bool], headings: &[(NodeId, u8)]) -> Sums {
        let (mut all, mut staying) = (vec![0], vec![0]);
        let mut headings = headings.iter().map(|&(id, _)| page.subtree(id)).peekable();
        let mut heading_end = NodeId::ROOT;
        for id in page.nodes() {
            while let Some(heading) = headings.next_if(|heading| heading.start <= id) {
                heading_end = heading_end.max(heading.end);
            }
            let counts = page.is_text(id) && page.body().contains(id) && id >= heading_end;
            let length = if counts { page.text(id).len() } else { 0 };
            all.push(all[id.index()] + length);
            staying.push(staying[id.index()] + if stays[id.index()] { length } else { 0 });
        }
        Sums { all, staying }
    }

    fn in_range(&self, range: &NodeRange) -> (usize, usize) {
        if range.start >= range.end {
            return (0, 0);
        }
        let between = |sums: &[usize]| sums[range.end.index()] - sums[range.start.index()];
        (between(&self.all), between(&self.staying))
    }

    fn any_before(&self, id: NodeId) -> bool {
        self.staying[id.index()] > 0
    }

    /// The end of the smallest of the nearest elements around a heading that has text after it.
    fn container_end(&self, page: &Page, heading: NodeId) -> NodeId {
        let end = page.subtree(heading).end;
        let ends = page.ancestors(heading).take(3).map(|id| page.subtree(id).end);
        let mut last = end;
        for around in ends {
            last = around;
            if self.all[around.index()] > self.all[end.index()] {
                break;
            }
        }
        last
    }
}

/// An item of a list, without the lists inside it.
#[derive(Default)]
struct Item {
    texts: Vec<NodeId>,
    length: usize,
    lines: usize,
    links: usize,
}

#[derive(Default)]
struct List {
    items: BTreeMap<NodeId, Item>,
}

impl List {
    fn is_simple(&self) -> bool {
        let is_simple = |item: &Item| item.length <= MAX_ENTRY && item.lines <= MAX_LINES;
        self.items.values().all(is_simple)
    }
}

/// The lists of a page.
struct Lists(BTreeMap<NodeId, List>);

impl Lists {
    fn of(page: &Page) -> Lists {
        let mut lists: BTreeMap<NodeId, List> = BTreeMap::new();
        // The innermost item and link around each node.
        let mut items: Vec<Option<NodeId>> = vec![None; page.len() as usize];
        let mut links: Vec<bool> = vec![false; page.len() as usize];
        for id in page.body() {
            let parent = page.parent(id).unwrap_or(id);
            let tag = page.tag(id);
            let is_item = tag == Tag::LI && matches!(page.tag(parent), Tag::UL | Tag::OL);
            items[id.index()] = if is_item { Some(id) } else { items[parent.index()] };
            links[id.index()] = tag == Tag::A || links[parent.index()];
            let Some(item) = items[id.index()].filter(|_| page.is_text(id)) else { continue };
            let Some(list) = page.parent(item) else { continue };
            let item = lists.entry(list).or_default().items.entry(item).or_default();
            let length = page.text(id).len();
            let starts_line = item.texts.is_empty() || page.gap(id) == Gap::Line;
            item.texts.push(id);
            item.length += length;
            item.lines += usize::from(starts_line);
            item.links += if links[id.index()] { length } else { 0 };
        }
        Lists(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;
    use crate::strip::strip;

    /// Texts in capital letters are template.
    fn marked(html: &str) -> (Page, Marks) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let mut marks = Marks::none(&page);
        for id in page.visible_texts() {
            let text = page.text(id);
            let value = if text.to_uppercase() == text { 1.0 } else { 0.0 };
            marks.set(id, value, None);
        }
        marks.lift_to_elements(&page);
        (page, marks)
    }

    fn check(html: &str, expected: &str) {
        let (page, mut marks) = marked(html);
        keep_together(&page, &mut marks, std::iter::empty());
        assert_eq!(strip(&page, &marks).text().replace('\n', "|"), expected, "{html}");
    }

    #[test]
    fn headings_stay_with_what_they_head() {
        let tea = "<p>Tea is a drink that is made of leaves.";
        check(
            &format!("<h1>tea</h1><h2>NAME</h2>{tea}<h2>SEE</h2><p>ALSO"),
            &format!("tea|NAME|{}", &tea[3..]),
        );
        check(
            &format!("<h1>SITE</h1><ul><li>HOME</ul><h2>NAME</h2><div>{tea}</div>"),
            &format!("NAME|{}", &tea[3..]),
        );
        check(&format!("{tea}<h2>RELATED</h2><p>OTHER PAGES</p>"), &tea[3..]);
        check(
            &format!("<div><h3>SYNOPSIS</h3></div><pre>brew</pre>{tea}<h3>MORE</h3>"),
            &format!("SYNOPSIS|brew|{}", &tea[3..]),
        );
        check("<p>a<h2>REFERENCES</h2><ol><li>b</ol><p>ALL THE PAGES", "a|REFERENCES|b");
        check("<p>a<h2>MOST OF THIS</h2><p>GOES, ALTHOUGH<p>not this<p>AND NOT MUCH", "a|not this");
    }

    #[test]
    fn labels_stay_with_their_values() {
        check(
            "<table><tr><th>DEFAULT:<td>none<td>X<tr><td>LOGIN<td>NOW<tr><td>A<td>B</table>",
            "DEFAULT:\tnone",
        );
        check("<dl><dt>AUTHOR<dd>ann<dt>SHARE<dd>NOW</dl>", "AUTHOR|ann");
        check("<dl><dt>ONE<dt>TWO<dd>both</dl>", "ONE|TWO|both");
        check("<p><span>PRICE:</span> <b>12 pounds</b>", "PRICE: 12 pounds");
        check("<div>PRICE:</div><div>12 pounds</div>", "PRICE:|12 pounds");
    }

    #[test]
    fn tables_keep_their_shape() {
        check(
            "<table><tr><th>NAME<th>SIZE<tr><td>oak<td>44 CM<tr><td>elm<td>12 CM</table>",
            "NAME\tSIZE|oak\t44 CM|elm\t12 CM",
        );
        // A value that many pages share is still one.
        check(
            "<table><tr><td>BRAND<td>THORNBY<tr><td>WOOD<td>OAK<tr><td>WEIGHT<td>2 kg</table>",
            "BRAND\tTHORNBY|WOOD\tOAK|WEIGHT\t2 kg",
        );
        let bar = "<table><tr><td><a>PREV</a><td><a>UP</a><td><a>next page</a></table>";
        check(bar, "next page");
        let other = "<table><tr><td>A<td>12<td>C<tr><td>GO<td>NOW<tr><td>a<td>B<tr><td>X</table>";
        check(other, "a");
    }

    #[test]
    fn lists_stay_whole_or_go() {
        check(
            "<ul><li>burrage weir<li>CALLOW<li>surveyor's elbow</ul>",
            "burrage weir|CALLOW|surveyor's elbow",
        );
        let menu = "<ul><li><a>HOME PAGE</a><li><a>news</a><li><a>CONTACT FORM</a></ul>";
        let text = format!("<p>{}", "tea ".repeat(60));
        check(&format!("{menu}{text}"), text[3..].trim());
        // The list is the page.
        check(menu, "news");
        let posts = format!("<ul><li><p>one<p>two<p>three<li>MENU</ul>{text}");
        check(&posts, &format!("one|two|three|{}", text[3..].trim()));
    }
}
