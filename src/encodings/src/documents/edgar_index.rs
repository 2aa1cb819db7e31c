//! Indexes of EDGAR: one line per filing, in columns ordered by form or by company, or (`master`) with `|` between the fields.
//!
//! The heading gives the order and the start of the second column. The last three fields have no blanks, so they are read from the end
//! of the line. A line that is not a filing becomes a row with empty cells, which readers refuse.

use std::io;

use crate::documents::put_rows::DocumentRows;
use crate::last_line::truncated_file;

pub(super) const COLUMNS: [&str; 5] = ["FORM TYPE", "COMPANY NAME", "CIK", "DATE FILED", "FILE NAME"];

/// Returns true if a text starts like an index.
pub(super) fn detect(head: &str) -> bool {
    let head: String = head.chars().take(400).collect();
    head.starts_with("Description:") && head.contains("EDGAR")
}

/// Layout of the lines of an index.
#[derive(Debug, Clone, Copy)]
enum IndexLayout {
    /// `CIK|Company Name|Form Type|Date Filed|Filename`.
    Bars,
    /// The form is first; the company's name starts after this number of characters.
    FormFirst(usize),
    /// The company's name is first; the form starts after this number of characters.
    CompanyFirst(usize),
}

impl IndexLayout {
    fn from_heading(heading: &str) -> Option<Self> {
        let heading = heading.trim_end();
        match (heading.find("Form Type"), heading.find("Company Name")) {
            _ if heading.starts_with("CIK|") => Some(Self::Bars),
            (Some(0), Some(company)) => Some(Self::FormFirst(company)),
            (Some(form), Some(0)) => Some(Self::CompanyFirst(form)),
            _ => None,
        }
    }

    /// Returns form, company, CIK, date and file of a line; `None` if the line is not a filing.
    fn cells(self, line: &str) -> Option<[&str; 5]> {
        if matches!(self, Self::Bars) {
            let mut fields = line.split('|').map(str::trim);
            let (cik, company, form) = (fields.next()?, fields.next()?, fields.next()?);
            return Some([form, company, cik, fields.next()?, fields.next()?]);
        }
        let (rest, file) = split_last_word(line)?;
        let (rest, date) = split_last_word(rest)?;
        let (rest, cik) = split_last_word(rest)?;
        let (Self::FormFirst(second) | Self::CompanyFirst(second)) = self else { return None };
        let at = rest.char_indices().nth(second).map(|(at, _)| at)?;
        let (first, second) = rest.split_at_checked(at)?;
        let (first, second) = (first.trim(), second.trim());
        let (form, company) =
            if matches!(self, Self::FormFirst(_)) { (first, second) } else { (second, first) };
        Some([form, company, cik, date, file])
    }
}

/// Splits a line into the text before its last word, and that word.
fn split_last_word(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let start = line.rfind(char::is_whitespace)?;
    Some((line.get(..start)?, line.get(start..)?.trim_start()))
}

pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let mut lines = (1..).zip(text.lines());
    let layout = lines.find_map(|(_, line)| IndexLayout::from_heading(line));
    let layout = layout.ok_or_else(|| io::Error::other("the index has no heading"))?;
    let mut lines = lines.skip_while(|(_, line)| !line.starts_with("-----"));
    if lines.next().is_none() {
        return Err(io::Error::other("the index has no line under its heading"));
    }
    let last = text.lines().count();
    let lacks_line_end = !text.ends_with('\n');
    for (line, text) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells = layout.cells(text);
        if lacks_line_end && line == last as u64 && !cells.is_some_and(names_a_file) {
            return Err(truncated_file(format!(
                "the file is cut: its last line, {line}, does not end with the name of a file"
            )));
        }
        let cells = cells.unwrap_or(["", text.trim(), "", "", ""]);
        if !rows.push_row_at(line, &cells) {
            break;
        }
    }
    Ok(())
}

/// Returns true if the last cell is a complete file name, as at the end of each line in all indexes.
fn names_a_file([.., file]: [&str; 5]) -> bool {
    [".txt", ".htm", ".html"].iter().any(|ending| file.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use crate::documents::document::tests::read;

    const HEAD: &str =
        "Description:   Daily Index of EDGAR Dissemination Feed by Form Type\nComments:  x\n \n";

    #[test]
    fn columns_stand_where_the_heading_says() {
        let form = format!(
            "{HEAD}Form Type   Company Name           CIK         Date Filed  File Name\n----------\n\
             1-A POS     ALFA, INC. / NV        1843120     2021-01-29  edgar/data/1843120/0001096906-21-000194.txt\n\n\
             10-K        Béta Corp              7           20210130    edgar/data/7/0000000007-21-000001.txt   \n\
             torn line\n"
        );
        assert_eq!(
            read(&form).1,
            [
                "1-A POS,ALFA, INC. / NV,1843120,2021-01-29,edgar/data/1843120/0001096906-21-000194.txt",
                "10-K,Béta Corp,7,20210130,edgar/data/7/0000000007-21-000001.txt",
                ",torn line,,,",
            ]
        );
        let company = format!(
            "{HEAD}Company Name           Form Type   CIK\n      Date Filed  File Name\n----------\n\
             A & B Fund             SC 13D/A    12          20221003    edgar/data/12/0000000012-22-000005.txt\n"
        );
        assert_eq!(
            read(&company).1,
            ["SC 13D/A,A & B Fund,12,20221003,edgar/data/12/0000000012-22-000005.txt"]
        );
    }

    #[test]
    fn bars_and_emptiness() {
        let master = format!(
            "{HEAD}CIK|Company Name|Form Type|Date Filed|Filename\n-----\n7|A|8-K|2021-01-30|edgar/data/7/x.txt\n"
        );
        assert_eq!(read(&master).1, ["8-K,A,7,2021-01-30,edgar/data/7/x.txt"]);
        let empty = format!("{HEAD}Form Type   Company Name   CIK   Date Filed   File Name\n-------\n");
        assert!(read(&empty).1.is_empty());
        assert!(
            crate::documents::document::RawDocument::EdgarIndex
                .records(&mut HEAD.as_bytes(), &mut |_| true)
                .is_err()
        );
    }
}
