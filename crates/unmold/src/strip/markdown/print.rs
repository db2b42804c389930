//! Prints blocks and their containers as lines of text: indentation, list markers, blank lines.

/// A block that contains other blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Container {
    Quote,
    List,
    /// A list made for items outside of any list.
    StrayList,
    /// A list item with its number, or a bullet.
    Item(Option<u32>),
    /// A footnote.
    Note(u32),
}

#[derive(Debug)]
pub(super) enum Block {
    Open(Container),
    Close(Container),
    /// Lines of a paragraph or a heading.
    Text(String),
    /// Lines of code or of a table.
    Lines(String),
    Rule,
}

/// Prints blocks; as plain text, quotes are not marked and rules are left out.
pub(super) fn print(blocks: &[Block], plain: bool) -> String {
    let tight = tight_lists(blocks);
    let root = Level { indent: 0, last: Last::Nothing, tight: false };
    let mut printer = Printer {
        out: String::new(),
        indent: String::new(),
        first: None,
        levels: vec![root],
        lists: Vec::new(),
    };
    for (index, block) in blocks.iter().enumerate() {
        match block {
            Block::Open(Container::List | Container::StrayList) => {
                printer.lists.push(List { id: index, tight: tight[index] });
            }
            Block::Close(Container::List | Container::StrayList) => {
                printer.lists.pop();
            }
            Block::Open(Container::Item(number)) => printer.open_item(*number),
            Block::Open(Container::Quote) => printer.open_quote(if plain { "" } else { "> " }),
            Block::Open(Container::Note(number)) => printer.open_note(*number),
            Block::Rule if plain => {}
            Block::Close(_) => printer.close(),
            Block::Text(text) | Block::Lines(text) => printer.leaf(text),
            // `- ---` would be read as a single rule.
            Block::Rule if printer.first.is_some() => printer.leaf("___"),
            Block::Rule => printer.leaf("---"),
        }
    }
    printer.out.truncate(printer.out.trim_end_matches('\n').len());
    printer.out
}

/// The blocks without items that hold nothing but lists: their items are put into the outer list.
///
/// Only where neither is numbered, since a list cannot have items with and without numbers.
pub(super) fn without_bare_items(mut blocks: Vec<Block>) -> Vec<Block> {
    let mut open = Vec::new();
    let mut end = vec![0; blocks.len()];
    for (position, block) in blocks.iter().enumerate() {
        match block {
            Block::Open(_) => open.push(position),
            Block::Close(_) => end[open.pop().unwrap_or(0)] = position,
            _ => {}
        }
    }
    let is_item = |at: usize| matches!(blocks.get(at), Some(Block::Open(Container::Item(None))));
    let is_list = |at: usize| matches!(blocks.get(at), Some(Block::Open(Container::List)));
    let mut is_bare = vec![false; blocks.len()];
    for item in (0..blocks.len()).filter(|&at| is_item(at) && end[at] > at) {
        let lists = || {
            let next = |list: &usize| (end[*list] + 1 < end[item]).then_some(end[*list] + 1);
            std::iter::successors(Some(item + 1), next)
        };
        if lists().all(|at| is_list(at) && is_item(at + 1)) {
            for at in lists().chain([item]) {
                (is_bare[at], is_bare[end[at]]) = (true, true);
            }
        }
    }
    let mut is_bare = is_bare.into_iter();
    blocks.retain(|_| !is_bare.next().unwrap_or(false));
    blocks
}

/// For each list, by the position at which it opens, whether its items need no blank lines.
fn tight_lists(blocks: &[Block]) -> Vec<bool> {
    let mut finder =
        TightLists { tight: vec![true; blocks.len()], lists: Vec::new(), levels: Vec::new() };
    for (position, block) in blocks.iter().enumerate() {
        match block {
            Block::Open(Container::List | Container::StrayList) => finder.lists.push(position),
            Block::Close(Container::List | Container::StrayList) => drop(finder.lists.pop()),
            Block::Close(_) => drop(finder.levels.pop()),
            Block::Open(Container::Item(number)) => finder.item(*number),
            Block::Open(Container::Quote | Container::Note(_)) => {
                finder.leaf(false);
                finder.levels.push((None, Last::Nothing));
            }
            Block::Text(_) => finder.leaf(true),
            Block::Lines(_) | Block::Rule => finder.leaf(false),
        }
    }
    finder.tight
}

struct TightLists {
    tight: Vec<bool>,
    lists: Vec<usize>,
    /// The list of each open item (`None` for quotes), and the last block inside it.
    levels: Vec<(Option<usize>, Last)>,
}

impl TightLists {
    fn item(&mut self, number: Option<u32>) {
        let list = self.lists.last().copied();
        let item = Last::Item { list: list.unwrap_or(0), marker: '-' };
        let starts_list =
            self.levels.last_mut().is_none_or(|(_, last)| std::mem::replace(last, item) != item);
        // Directly below a paragraph, without a blank line, numbers start a list only if the first
        // is one. Some readers object even if such a list starts on the line of an outer item.
        if starts_list && number.is_some_and(|number| number != 1) {
            self.levels
                .iter()
                .filter_map(|level| level.0)
                .for_each(|outer| self.tight[outer] = false);
        }
        self.levels.push((list, Last::Nothing));
    }

    /// A text at the start of an item needs no blank line; everything else does.
    fn leaf(&mut self, text: bool) {
        let Some((list, last)) = self.levels.last_mut() else { return };
        let before = std::mem::replace(last, Last::Other);
        if let Some(list) = list {
            self.tight[*list] &= text && before == Last::Nothing;
        }
    }
}

struct List {
    id: usize,
    tight: bool,
}

/// The previous block in the same container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Other,
    Item { list: usize, marker: char },
}

/// A quote, an item or the page itself: a container that indents its blocks.
struct Level {
    /// Length of the surrounding indentation.
    indent: usize,
    last: Last,
    tight: bool,
}

struct Printer {
    out: String,
    /// The prefix of every line.
    indent: String,
    /// The prefix of the next line, if it differs: the markers of items and quotes that have just
    /// opened.
    first: Option<String>,
    levels: Vec<Level>,
    lists: Vec<List>,
}

impl Printer {
    fn last(&self) -> Last {
        self.levels.last().map_or(Last::Nothing, |level| level.last)
    }

    fn set_last(&mut self, last: Last) {
        if let Some(level) = self.levels.last_mut() {
            level.last = last;
        }
    }

    fn open_item(&mut self, number: Option<u32>) {
        let (id, tight) = self.lists.last().map_or((0, false), |list| (list.id, list.tight));
        let marker = self.marker(id, number.is_some());
        let same_list = matches!(self.last(), Last::Item { list, .. } if list == id);
        let blank =
            if same_list { !tight } else { !self.levels.last().is_some_and(|level| level.tight) };
        self.separate(blank);
        self.set_last(Last::Item { list: id, marker });
        let marker =
            number.map_or_else(|| format!("{marker} "), |number| format!("{number}{marker} "));
        self.open(&marker, &" ".repeat(marker.len()), tight);
    }

    /// Adjacent lists are separated by using different markers.
    fn marker(&self, id: usize, numbered: bool) -> char {
        let [usual, other] = if numbered { ['.', ')'] } else { ['-', '*'] };
        match self.last() {
            Last::Item { list, marker } if list == id => marker,
            Last::Item { marker, .. } if marker == usual => other,
            _ => usual,
        }
    }

    fn open_quote(&mut self, marker: &str) {
        self.separate(true);
        self.set_last(Last::Other);
        self.open(marker, marker, false);
    }

    fn open_note(&mut self, number: u32) {
        self.separate(true);
        self.set_last(Last::Other);
        self.open(&format!("[^{number}]: "), "    ", false);
    }

    fn open(&mut self, first: &str, others: &str, tight: bool) {
        let mut line = self.first.take().unwrap_or_else(|| self.indent.clone());
        line.push_str(first);
        self.first = Some(line);
        self.levels.push(Level { indent: self.indent.len(), last: Last::Nothing, tight });
        self.indent.push_str(others);
    }

    fn close(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.indent.truncate(level.indent);
        }
    }

    fn leaf(&mut self, text: &str) {
        self.separate(true);
        self.set_last(Last::Other);
        for line in text.split('\n') {
            let first = self.first.take();
            let indent = first.as_deref().unwrap_or(&self.indent);
            self.out.push_str(if line.is_empty() { indent.trim_end() } else { indent });
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    fn separate(&mut self, blank: bool) {
        if blank && self.last() != Last::Nothing {
            self.out.push_str(self.indent.trim_end());
            self.out.push('\n');
        }
    }
}
