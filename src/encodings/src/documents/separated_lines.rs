//! Reads some columns of a text with a header line, whose cells are separated by one character and have no quotes.
//!
//! The text is read line by line, so that memory does not grow with the file.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};

use crate::documents::put_rows::DocumentRows;
use crate::last_line::truncated_file;
use crate::unpack_bounds::RowBoundReader;

/// Format of the lines.
pub(super) struct SeparatedLines {
    /// Character between cells.
    pub(super) separator: char,
    /// Beginning of the last line of a complete file, which is not a row; `None` if such files end with a row.
    pub(super) trailer: Option<&'static str>,
}

impl SeparatedLines {
    /// Passes on the columns `names` of every line; `|` separates alternative names of one column. A missing column is empty.
    pub(super) fn push_rows(
        &self,
        reader: &mut dyn Read,
        names: &[&str],
        rows: &mut DocumentRows<'_>,
    ) -> io::Result<()> {
        let since = Cell::new(0);
        let mut reader = BufReader::with_capacity(1 << 16, RowBoundReader::new(reader, &since));
        let mut bytes = Vec::new();
        let mut positions: Option<Vec<Option<usize>>> = None;
        let (mut line, mut columns) = (0, 0);
        loop {
            bytes.clear();
            since.set(0);
            if reader.read_until(b'\n', &mut bytes)? == 0 {
                return self.check_end();
            }
            line += 1;
            let text = String::from_utf8_lossy(&bytes);
            if self.trailer.is_some_and(|trailer| text.starts_with(trailer)) {
                return Ok(());
            }
            let cells: Vec<&str> = text.trim_end_matches(['\n', '\r']).split(self.separator).collect();
            if cells.len() < columns && !text.ends_with('\n') {
                let words = format!(
                    "its last line, {line}, has {} of {columns} cells and no end of line",
                    cells.len()
                );
                return Err(truncated_file(format!("the file is cut: {words}")));
            }
            match &positions {
                None => {
                    columns = cells.len();
                    let position = |names: &&str| {
                        cells.iter().position(|cell| names.split('|').any(|name| name == *cell))
                    };
                    positions = Some(names.iter().map(position).collect());
                }
                Some(positions) => {
                    let cell = |position: &Option<usize>| {
                        position.and_then(|index| cells.get(index)).copied().unwrap_or_default()
                    };
                    let selected: Vec<&str> = positions.iter().map(cell).collect();
                    if !rows.push_row_at(line, &selected) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Returns an error if the files have a trailer, which was not found.
    fn check_end(&self) -> io::Result<()> {
        let lacking =
            |trailer| truncated_file(format!("the file is cut: it lacks the line `{trailer}` that ends it"));
        self.trailer.map_or(Ok(()), |trailer| Err(lacking(trailer)))
    }
}
