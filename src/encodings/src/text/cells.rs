//! Records of a file: the header line, trimmed cells, and figures in cells.
//!
//! This module does not know the meaning of a column. A cell beyond the end of a record is empty, never an error; [`CellRecord::fits`]
//! checks the number of cells once.

use std::borrow::Cow;
use std::sync::Arc;

use csv::ByteRecord;

/// The header line: names trimmed and in upper case, without a byte order mark, surrounding angle brackets, or empty columns at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderLine {
    /// Shared, because an archive may have a million members with the same header.
    names: Arc<[String]>,
}

impl HeaderLine {
    /// Reads the names in the first line of a file.
    pub fn new(record: &ByteRecord) -> Self {
        let mut names: Vec<String> = record
            .iter()
            .map(|cell| {
                let text = String::from_utf8_lossy(cell);
                let name = text.trim_start_matches('\u{feff}').trim();
                name.strip_prefix('<').and_then(|name| name.strip_suffix('>')).unwrap_or(name).to_uppercase()
            })
            .collect();
        while names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        Self { names: names.into() }
    }

    /// Creates the header of a file without one.
    pub fn none() -> Self {
        Self { names: Arc::default() }
    }

    /// Returns a header with `more` columns after these.
    #[must_use]
    pub fn with<'n>(&self, more: impl Iterator<Item = &'n str>) -> Self {
        Self { names: self.names.iter().cloned().chain(more.map(str::to_owned)).collect() }
    }

    /// Returns true if the header has no column.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the names of the columns, which are the cells of the first row if the file has no header.
    pub fn cells(&self) -> &[String] {
        &self.names
    }

    /// Returns the position, from 0, of the first of `names` that the header has.
    pub fn column<N: AsRef<str>>(&self, names: &[N]) -> Option<usize> {
        names.iter().find_map(|name| self.names.iter().position(|other| other == name.as_ref()))
    }
}

/// One record, and the number of its line.
#[derive(Clone, Default)]
pub struct CellRecord {
    cells: ByteRecord,
    is_broken: bool,
}

impl CellRecord {
    /// Creates an empty record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the buffer that a reader fills.
    pub(crate) fn buffer(&mut self) -> &mut ByteRecord {
        &mut self.cells
    }

    /// Returns the cells as read.
    pub const fn cells(&self) -> &ByteRecord {
        &self.cells
    }

    /// Writes the record to `into`, with each cell converted by `cell`.
    pub(crate) fn rewrite_into(&self, into: &mut Self, cell: impl Fn(&[u8]) -> Cow<'_, [u8]>) {
        into.start(u64::from(self.line()));
        self.cells.iter().for_each(|source| into.cells.push_field(&cell(source)));
    }

    /// Writes the record to `into`, with the cells `more` after those of the `columns` that the header names.
    pub fn write_extended(&self, columns: usize, more: &[String], into: &mut Self) {
        into.start(u64::from(self.line()));
        // A row with missing or extra cells is copied unchanged.
        let retained = if self.fits(columns) { columns } else { self.cells.len() };
        self.cells.iter().take(retained).for_each(|cell| into.cells.push_field(cell));
        if self.fits(columns) {
            for cell in more {
                into.push(cell);
            }
        }
    }

    /// Returns true if all cells from a column on are blank.
    pub(crate) fn is_blank_from(&self, column: usize) -> bool {
        self.cells.iter().skip(column).all(|cell| cell.trim_ascii().is_empty())
    }

    /// Clears the record for another row on `line`.
    pub(crate) fn start(&mut self, line: u64) {
        self.cells.clear();
        self.is_broken = false;
        let mut position = csv::Position::new();
        position.set_line(line);
        self.cells.set_position(Some(position));
    }

    /// Sets the line on which the record starts.
    pub(crate) fn set_line(&mut self, line: u64) {
        if let Some(mut position) = self.cells.position().cloned() {
            position.set_line(line);
            self.cells.set_position(Some(position));
        }
    }

    /// Makes the record an invalid line, with the text of the line as its only cell.
    pub(crate) fn set_broken(&mut self, line: u64, text: &str) {
        self.start(line);
        self.push(text);
        self.is_broken = true;
    }

    /// Returns true if the record is an invalid line, with the text of the line as its only cell.
    pub const fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Adds a cell.
    pub fn push(&mut self, cell: &str) {
        self.cells.push_field(cell.as_bytes());
    }

    /// Returns the total length of the cells in bytes.
    pub fn bytes(&self) -> usize {
        self.cells.as_slice().len()
    }

    /// Returns the line on which the record starts, from 1; 0 if it is unknown.
    pub fn line(&self) -> u32 {
        self.cells.position().map_or(0, |position| position.line() as u32)
    }

    /// Returns a cell without surrounding blanks; empty beyond the end of the record.
    pub fn cell(&self, column: usize) -> &[u8] {
        self.cells.get(column).unwrap_or_default().trim_ascii()
    }

    /// Returns a cell as text; `None` if it is empty or not UTF-8.
    pub fn text(&self, column: usize) -> Option<&str> {
        std::str::from_utf8(self.cell(column)).ok().filter(|text| !text.is_empty())
    }

    /// Joins the cells of one column, if the record has more than `columns` cells because the text of that column has commas and
    /// no quotes. Returns `None` if the record fits already, has too few cells, or if the extra cells are not such a text.
    pub fn joined(&self, column: usize, columns: usize) -> Option<Self> {
        let more = self.cells.len().checked_sub(columns).filter(|more| *more > 0 && !self.fits(columns))?;
        let mut joined = Self { is_broken: self.is_broken, ..Self::new() };
        joined.cells.set_position(self.cells.position().cloned());
        let mut cells = self.cells.iter().enumerate();
        while let Some((at, cell)) = cells.next() {
            if at != column {
                joined.cells.push_field(cell);
                continue;
            }
            let mut text = cell.to_vec();
            for (_, cell) in cells.by_ref().take(more) {
                // A text continues with a word; a cell that is a figure or a date is not a part of it.
                if cell.is_empty() || cell.first().is_some_and(u8::is_ascii_digit) || money(cell).is_some() {
                    return None;
                }
                text.push(b',');
                text.extend_from_slice(cell);
            }
            joined.cells.push_field(&text);
        }
        Some(joined)
    }

    /// Returns true if the record has a cell for each of `columns` and only empty cells after them.
    pub fn fits(&self, columns: usize) -> bool {
        self.cells.len() >= columns && self.is_blank_from(columns)
    }

    /// Returns true if a cell may contain another row of `columns` cells: a quote without an end includes all lines up to the next quote.
    pub fn holds_a_row(&self, columns: usize) -> bool {
        // Cells have line ends only inside quotes.
        let mut after = self.cells.as_slice().splitn(2, |byte| *byte == b'\n').skip(1);
        after.next().is_some_and(|after| {
            let cells = |separator: u8| after.split(|byte| *byte == separator).count();
            columns > 1 && b",;\t".iter().any(|separator| cells(*separator) >= columns)
        })
    }

    /// Returns true if the record repeats the header: its cell in `column` is the name of that column.
    pub fn repeats(&self, header: &HeaderLine, column: usize) -> bool {
        header.names.get(column).is_some_and(|name| name.as_bytes().eq_ignore_ascii_case(self.cell(column)))
    }

    /// Returns the record as read, except for quotes.
    #[cfg(test)]
    pub(crate) fn source_text(&self) -> String {
        let mut text = String::with_capacity(self.cells.as_slice().len() + self.cells.len());
        self.put_source_text(&mut text);
        text
    }

    /// Appends the record as read, except for quotes, to a text.
    pub fn put_source_text(&self, text: &mut String) {
        for (position, cell) in self.cells.iter().enumerate() {
            if position > 0 {
                text.push(',');
            }
            text.push_str(&String::from_utf8_lossy(cell));
        }
    }
}

/// Parses a decimal figure, correctly rounded; `None` for digit groups, currency signs and words.
pub fn number(cell: &[u8]) -> Option<f64> {
    // A figure of up to 15 digits is the quotient of two exact doubles, which one division rounds correctly (Clinger 1990).
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (mut mantissa, mut decimals, mut seen_point) = (0_u64, 0_usize, false);
    for &byte in cell {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                decimals += usize::from(seen_point);
            }
            b'.' if !seen_point => seen_point = true,
            _ => return parse_number(cell),
        }
    }
    let digits = cell.len() - usize::from(seen_point);
    match POWERS.get(decimals) {
        Some(power) if (1..=15).contains(&digits) => Some(mantissa as f64 / power),
        _ => parse_number(cell),
    }
}

fn parse_number(cell: &[u8]) -> Option<f64> {
    /// No price, count or amount of a company is larger; sums and products of such figures are finite.
    const LARGEST: f64 = 1e18;
    std::str::from_utf8(cell).ok()?.parse().ok().filter(|figure: &f64| figure.abs() <= LARGEST)
}

/// Parses a count: an integer that is not negative. `1200.0` is a count, `1200.5` is not.
pub fn count(cell: &[u8]) -> Option<i64> {
    let figure = number(cell)?;
    ((0.0..9e15).contains(&figure) && figure.fract() == 0.0).then_some(figure as i64)
}

/// Parses a figure as vendors print it: optionally with a dollar sign in front, and with commas between groups of digits.
pub fn parse_printed(cell: &[u8]) -> Option<f64> {
    number(cell).or_else(|| money(cell))
}

/// Parses a count as vendors print it, with groups of digits or a unit (`52.3K`, M, B), rounded to an integer.
pub fn printed_count(cell: &[u8]) -> Option<i64> {
    let units = [(b'K', 1e3), (b'M', 1e6), (b'B', 1e9)];
    let unit = cell.split_last().and_then(|(last, before)| {
        let (_, times) = units.into_iter().find(|(unit, _)| unit.eq_ignore_ascii_case(last))?;
        Some((before, times))
    });
    let (figure, times) = unit.unwrap_or((cell, 1.0));
    parse_printed(figure)
        .map(|figure| figure * times)
        .filter(|count| (0.0..9e15).contains(count))
        .map(|count| count.round() as i64)
}

/// Parses a figure with currency signs and groups of digits: `$1,234.50`, `1,20,58,807`. A comma that does not separate groups is refused:
/// `1000,5` is not 10,005.
pub fn money(cell: &[u8]) -> Option<f64> {
    let plain: Vec<u8> = cell.iter().copied().filter(|byte| !matches!(byte, b'$' | b' ')).collect();
    if !plain.contains(&b',') {
        return number(&plain);
    }
    let text = std::str::from_utf8(&plain).ok()?;
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    // The last group has three digits; in India those before it have two.
    let mut groups = whole.trim_start_matches(['-', '+']).rsplit(',');
    let is_grouped = !decimals.contains(',')
        && groups.next().is_some_and(|last| last.len() == 3)
        && groups.all(|group| (1..=3).contains(&group.len()));
    is_grouped.then(|| number(text.replace(',', "").as_bytes()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_as_the_standard_library_does() {
        for text in [
            "0.1", "766.40", "123456789.123456", "14760.01", "5", ".5", "7.", "999999999999999", "1e3",
            "-2.5",
        ] {
            assert_eq!(number(text.as_bytes()), Some(text.parse::<f64>().unwrap()), "{text}");
        }
        for text in ["", "-", ".", "1.2.3", "1,2", "NaN", "inf", "abc"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn counts_are_whole() {
        assert_eq!(count(b"1200"), Some(1200));
        assert_eq!(count(b"1200.0"), Some(1200));
        for text in ["1200.5", "-3", "-", ""] {
            assert_eq!(count(text.as_bytes()), None, "{text}");
        }
        assert_eq!((money(b"$1,234.50"), money(b"1,20,58,807")), (Some(1234.5), Some(12_058_807.0)));
        let counts = [&b"1200.5"[..], b"-1", b"1,200", b"52.3K", b"1.2M", b"1,20,000", b"M", b"1,2"]
            .map(printed_count);
        let counted =
            [Some(1201), None, Some(1200), Some(52_300), Some(1_200_000), Some(120_000), None, None];
        assert_eq!(counts, counted);
        let figures = [&b"$1,234.50"[..], b"12.5", b"$7", b"12,50", b"1.234,5", b"x"].map(parse_printed);
        assert_eq!(figures, [Some(1234.5), Some(12.5), Some(7.0), None, None, None]);
    }

    #[test]
    fn a_trailing_comma_is_no_field() {
        let header = HeaderLine::new(&ByteRecord::from(vec!["\u{feff}Symbol ", " <date>", ""]));
        assert_eq!((header.len(), header.column(&["DATE"])), (2, Some(1)));
        let mut record = CellRecord::new();
        *record.buffer() = ByteRecord::from(vec!["A", "b", " "]);
        assert!(record.fits(2) && !record.fits(4));
    }
}
