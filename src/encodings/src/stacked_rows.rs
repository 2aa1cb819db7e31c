//! CSV with several header lines, as pandas writes two-level columns: one line of figures, one of symbols, and an optional third line with
//! the name of the index. yfinance writes such files.
//!
//! ```text
//! Price,Close,Close,Volume,Volume         or        Ticker,AA,AA,BB,BB
//! Ticker,AA,BB,AA,BB                                Price,Close,Volume,Close,Volume
//! Date,,,,                                          Date,,,,
//! 2026-05-04,50,7,1000,200
//! ```
//!
//! Each line becomes one record per symbol: the symbol, the date and the figures.

use csv::ByteRecord;

use crate::text::cells::{CellRecord, HeaderLine};

/// Names of price columns.
const FIGURES: [&str; 9] =
    ["OPEN", "HIGH", "LOW", "CLOSE", "ADJ CLOSE", "VOLUME", "DIVIDENDS", "STOCK SPLITS", "CAPITAL GAINS"];

/// The columns of a file with several header lines.
pub(super) struct Stack {
    /// Names of the figures, in the order of first occurrence.
    figures: Vec<String>,
    /// Each symbol with the position of the cell of each figure; `None` for a figure that the symbol lacks.
    symbols: Vec<(String, Vec<Option<usize>>)>,
}

impl Stack {
    /// Reads the columns from the first two lines; `None` if they are not header lines of such a file.
    pub(super) fn from_header_lines(first: &ByteRecord, second: &ByteRecord) -> Option<Self> {
        let [first, second] = [first, second].map(HeaderLine::new);
        let is_figure = |name: &String| FIGURES.contains(&name.as_str());
        let figures_of = |line: &HeaderLine| line.cells().iter().skip(1).all(is_figure);
        let (figures, symbols) = if figures_of(&first) { (&first, &second) } else { (&second, &first) };
        let is_stack = figures.len() > 4
            && figures.len() == symbols.len()
            && figures_of(figures)
            && !symbols
                .cells()
                .iter()
                .skip(1)
                .any(|name| name.parse::<f64>().is_ok() || name.is_empty() || is_figure(name));
        if !is_stack {
            return None;
        }
        let mut stack = Self { figures: Vec::new(), symbols: Vec::new() };
        let pairs = figures.cells().iter().zip(symbols.cells()).enumerate().skip(1);
        for (_, (figure, _)) in pairs.clone() {
            if !stack.figures.contains(figure) {
                stack.figures.push(figure.clone());
            }
        }
        for (position, (figure, symbol)) in pairs {
            let existing = stack.symbols.iter().position(|(other, _)| other == symbol);
            let row = existing.unwrap_or(stack.symbols.len());
            if existing.is_none() {
                stack.symbols.push((symbol.clone(), vec![None; stack.figures.len()]));
            }
            let column = stack.figures.iter().position(|other| other == figure);
            let slot = stack.symbols.get_mut(row).zip(column).and_then(|((_, slots), at)| slots.get_mut(at));
            if let Some(slot) = slot {
                *slot = Some(position);
            }
        }
        Some(stack)
    }

    /// Returns the header of the records.
    pub(super) fn header(&self) -> HeaderLine {
        let names = ["SYMBOL", "DATE"].into_iter().chain(self.figures.iter().map(String::as_str));
        HeaderLine::new(&names.collect())
    }

    /// Returns true for the optional third header line, which has only the name of the index.
    pub(super) fn is_index(line: &CellRecord) -> bool {
        line.text(0).is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
            && line.is_blank_from(1)
    }

    /// Passes the records of a line to `each`; returns false if `each` did. A symbol without figures on the line has no record.
    pub(super) fn records(&self, line: &CellRecord, each: &mut dyn FnMut(&CellRecord) -> bool) -> bool {
        let mut record = CellRecord::new();
        self.symbols.iter().all(|(symbol, positions)| {
            let figure = |position: &Option<usize>| {
                position.and_then(|position| line.text(position)).unwrap_or_default()
            };
            if positions.iter().all(|position| figure(position).is_empty()) {
                return true;
            }
            record.start(u64::from(line.line()));
            record.push(symbol);
            record.push(line.text(0).unwrap_or_default());
            for position in positions {
                record.push(figure(position));
            }
            each(&record)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::rows::{Head, head, records};

    /// Returns the header and the records of a text.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let Ok(Head::Rows(encoding, header)) = head(&mut text.as_bytes()) else { panic!("{text}") };
        let mut rows = Vec::new();
        records(encoding, true, &mut text.as_bytes(), &mut |record| {
            rows.push(format!("{}: {}", record.line(), record.source_text()));
            true
        })
        .unwrap();
        (header.cells().to_vec(), rows)
    }

    #[test]
    fn each_symbol_of_a_line_is_a_record() {
        let header = ["SYMBOL", "DATE", "CLOSE", "HIGH", "LOW", "OPEN", "VOLUME"].map(str::to_owned).to_vec();
        let one =
            "Price,Close,High,Low,Open,Volume\nTicker,AA,AA,AA,AA,AA\nDate,,,,,\n2026-05-04,5,6,4,5,9\n";
        assert_eq!(read(one), (header.clone(), vec!["4: AA,2026-05-04,5,6,4,5,9".to_owned()]));
        let without_index = one.replace("Date,,,,,\n", "").replace("Price,", ",").replace("Ticker,", ",");
        assert_eq!(read(&without_index).1, ["3: AA,2026-05-04,5,6,4,5,9"]);
        let two = "Ticker,AA,AA,BB-B,AA,BB-B,AA,AA,BB-B,BB-B,BB-B\nPrice,Close,High,Close,Low,Low,Open,Volume,Open,Volume,High\n\
                   Date,,,,,,,,,,\n2026-05-04,5,6,,4,,5,9,,,\n2026-05-05,5,6,7,4,7,5,9,7,3,7\n";
        let rows =
            ["4: AA,2026-05-04,5,6,4,5,9", "5: AA,2026-05-05,5,6,4,5,9", "5: BB-B,2026-05-05,7,7,7,7,3"];
        assert_eq!(read(two), (header, rows.map(str::to_owned).to_vec()));
    }

    #[test]
    fn other_files_are_as_they_are() {
        let plain = "Date,Open,High,Low,Close,Volume\n2026-05-04,5,6,4,5,9\n";
        assert_eq!(read(plain).1, ["2: 2026-05-04,5,6,4,5,9"]);
    }
}
