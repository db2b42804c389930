//! Places the cells of a table like a browser and writes them between pipes.

use super::inline::{self, Line, Manner, Run};

/// Tables with more columns are unreadable. The limit also bounds the cost of spans.
const MAX_COLUMNS: usize = 256;

/// Maximum number of written cells per cell of the page, so that a few long rows among many short
/// ones cannot make the output much larger than the page.
const MAX_PADDING: usize = 16;

struct Cell<'a> {
    row: usize,
    column: usize,
    runs: Vec<Run<'a>>,
}

/// A table under construction.
#[derive(Default)]
pub(super) struct Grid<'a> {
    cells: Vec<Cell<'a>>,
    /// For each column, the first row below the last cell that reaches into it.
    taken: Vec<usize>,
    rows: usize,
    column: usize,
    too_wide: bool,
}

impl<'a> Grid<'a> {
    pub(super) fn row(&mut self) {
        self.rows += 1;
        self.column = 0;
    }

    /// Adds the next cell of the row; an empty one only takes up its place.
    pub(super) fn cell(&mut self, runs: Vec<Run<'a>>, columns: usize, rows: usize) {
        let row = self.rows.saturating_sub(1);
        while self.taken.get(self.column).is_some_and(|&below| below > row) {
            self.column += 1;
        }
        let end = self.column.saturating_add(columns.max(1));
        self.too_wide |= end > MAX_COLUMNS;
        if !runs.is_empty() {
            self.cells.push(Cell { row, column: self.column, runs });
        }
        if !self.too_wide {
            self.taken.resize(self.taken.len().max(end), 0);
            self.taken[self.column..end].fill(row.saturating_add(rows.max(1)));
            self.column = end;
        }
    }

    /// The lines of the table, without empty rows and columns; or its cells, if they are not a
    /// table of data.
    pub(super) fn write(
        self,
        manner: Manner,
    ) -> Result<String, impl Iterator<Item = Vec<Run<'a>>>> {
        let mut rows: Vec<usize> = self.cells.iter().map(|cell| cell.row).collect();
        rows.dedup();
        let mut columns: Vec<usize> = self.cells.iter().map(|cell| cell.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let sparse = rows.len() * columns.len() > MAX_PADDING * self.cells.len();
        if self.too_wide || sparse || rows.len() < 2 || columns.len() < 2 {
            return Err(self.cells.into_iter().map(|cell| cell.runs));
        }
        Ok(if manner.plain {
            plain_lines(self.cells, &rows, &columns)
        } else {
            lines(self.cells, &rows, &columns, manner)
        })
    }
}

/// Rows with tabs between their cells.
fn plain_lines(cells: Vec<Cell>, rows: &[usize], columns: &[usize]) -> String {
    let mut cells = cells.into_iter().peekable();
    let manner = Manner { plain: true, base: None };
    let mut row_text = |row: usize| {
        let texts = columns.iter().map(|&column| {
            let cell = cells.next_if(|cell| (cell.row, cell.column) == (row, column));
            cell.map_or_else(String::new, |cell| inline::write(cell.runs, Line::Cell, manner))
        });
        texts.collect::<Vec<_>>().join("\t").trim_end().to_owned()
    };
    rows.iter().map(|&row| row_text(row)).collect::<Vec<_>>().join("\n")
}

fn lines(cells: Vec<Cell>, rows: &[usize], columns: &[usize], manner: Manner) -> String {
    let mut out = String::new();
    let mut cells = cells.into_iter().peekable();
    for (index, &row) in rows.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push('|');
        for &column in columns {
            if let Some(cell) = cells.next_if(|cell| (cell.row, cell.column) == (row, column)) {
                out.push(' ');
                out.push_str(&inline::write(cell.runs, Line::Cell, manner));
            }
            out.push_str(" |");
        }
        if index == 0 {
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(columns.len()));
        }
    }
    out
}
