//! Figures under the tags of a taxonomy: rows of the SEC's data sets, and documents that are brought into their columns.
//!
//! A tag that makes none of our lines is no row: it is noted and counted. So is a figure of a part of the company (a segment, a
//! subsidiary), and one of a span that is neither a day nor one to four quarters.

use chrono::{Datelike, Days, Months, NaiveDate};

use super::super::cells::{self, Header, Record};
use super::super::dates;
use super::super::fact::{Fact, FactFile, Note};
use super::super::reason::Reason;
use super::row::{Basis, Span, Who};
use super::tags::{TAGS, Tag};
use super::units::{Currency, Unit};

/// The columns of documents; the last one, of the figures, says of which kind.
pub(crate) const fn columns(figures: &'static str) -> [&'static str; 12] {
    ["SYMBOL", "CIK", "COMPANY", "ADSH", "FILED", "VERSION", "TAG", "DDATE", "QTRS", "BASIS", "UOM", figures]
}

/// A figure under a tag.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tagged {
    /// The accession number of its filing; `None` where the file is the filing.
    pub(crate) accession: Option<u64>,
    /// Whose it is; `None` where the list of filings says it.
    pub(crate) who: Option<Who>,
    pub(crate) filed: Option<NaiveDate>,
    pub(crate) tag: Tag,
    pub(crate) end: NaiveDate,
    pub(crate) span: Span,
    pub(crate) basis: Basis,
    pub(crate) currency: Option<Currency>,
    pub(crate) value: f64,
}

/// Who filed what when, as the list of a data set says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Submission {
    pub(crate) accession: u64,
    pub(crate) cik: u64,
    pub(crate) filed: NaiveDate,
    /// Whether its twelve months are fiscal years; nothing where the list does not say its form.
    pub(crate) has_years: Option<bool>,
    /// The industry of the company, where the list says it.
    pub(crate) sic: Option<u16>,
}

/// Whether twelve months in a form of the SEC are a fiscal year of the company. In a quarter's report they are those to the
/// end of the quarter; any other form may restate years.
pub(crate) fn has_years(form: &str) -> bool {
    !form.starts_with("10-Q")
}

/// A file of figures under tags.
pub(crate) struct TaggedFile {
    fields: usize,
    who: [Option<usize>; 3],
    accession: Option<usize>,
    filed: Option<usize>,
    /// The date of filing that the file's name says.
    named: Option<NaiveDate>,
    version: usize,
    tag: usize,
    end: usize,
    quarters: usize,
    basis: Option<usize>,
    unit: usize,
    parts: [Option<usize>; 2],
    value: usize,
}

impl TaggedFile {
    /// `value` is the name of the column of figures, which differs by the kind of file.
    pub(crate) fn of(header: &Header, value: &str, named: Option<NaiveDate>) -> Option<Self> {
        let column = |name| header.column(&[name]);
        Some(Self {
            fields: header.len(),
            who: [column("SYMBOL"), column("CIK"), column("COMPANY")],
            accession: column("ADSH"),
            filed: column("FILED"),
            named,
            version: column("VERSION")?,
            tag: column("TAG")?,
            end: column("DDATE")?,
            quarters: column("QTRS")?,
            basis: column("BASIS"),
            unit: column("UOM")?,
            parts: [column("SEGMENTS"), column("COREG")],
            value: column(value)?,
        })
    }

    fn who(&self, record: &Record) -> Option<Who> {
        let [symbol, cik, company] = self.who.map(|column| column.and_then(|column| record.text(column)));
        let of_symbol = symbol.map(|symbol| Who::Symbol(symbol.to_uppercase()));
        let of_cik = || super::super::cik::number(cik?.as_bytes()).map(Who::Cik);
        of_symbol.or_else(of_cik).or_else(|| company.map(|name| Who::Name(name.to_owned())))
    }

    fn number(&self, record: &Record) -> Option<Tag> {
        TAGS.number(record.text(self.version)?, record.text(self.tag)?)
    }

    fn span(&self, record: &Record) -> Option<Span> {
        Some(match record.cell(self.quarters) {
            b"0" => Span::Day,
            b"1" => Span::Quarter,
            b"2" => Span::Half,
            b"3" => Span::NineMonths,
            b"4" => Span::Year,
            _ => return None,
        })
    }
}

impl FactFile for TaggedFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let date = |column: usize| dates::in_cell(record.cell(column)).ok_or(Reason::BadDate);
        let written = self.filed.filter(|column| !record.cell(*column).is_empty());
        let text = |column: Option<usize>| column.and_then(|column| record.text(column)).unwrap_or_default();
        let unit = record.text(self.unit).unwrap_or_default();
        let unit = match unit {
            // A share of a whole, or a count.
            "pure" => Unit::of(""),
            unit => Unit::of(unit),
        };
        let unit = unit.ok_or(Reason::UnknownUnit)?;
        let value = cells::number(record.cell(self.value)).ok_or(Reason::BadNumber)?;
        Ok(Fact::Tagged(Box::new(Tagged {
            accession: self.accession.and_then(|column| accession(record.cell(column))),
            who: self.who(record),
            filed: written.map(date).transpose()?.or(self.named),
            tag: self.number(record).ok_or(Reason::UnknownLine)?,
            end: month_end(date(self.end)?),
            span: self.span(record).ok_or(Reason::UnknownPeriod)?,
            basis: Basis::of(text(self.basis)).ok_or(Reason::UnknownBasis)?,
            currency: unit.currency,
            value: value * unit.scale,
        })))
    }

    fn note(&self, record: &Record) -> Option<Note> {
        let is_part = |column: &Option<usize>| column.is_some_and(|column| !record.cell(column).is_empty());
        if self.parts.iter().any(is_part) {
            return Some(Note::OfAPart);
        }
        if self.number(record).is_none() {
            let tag = record.text(self.tag).unwrap_or_default();
            // A tag of the filer's own is known by the number of its filing in the place of the taxonomy.
            let is_own =
                record.text(self.version).is_some_and(|version| accession(version.as_bytes()).is_some());
            return Some(if is_own { Note::OwnTag } else { Note::UnmappedTag(tag.to_owned()) });
        }
        // An empty figure of a data set is one that the filer reports as nil.
        (self.span(record).is_none() || record.cell(self.value).is_empty()).then_some(Note::OtherSpan)
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.tag
    }
}

/// The list of filings of a data set: `sub.txt`.
pub(crate) struct SubmissionFile {
    fields: usize,
    accession: usize,
    cik: usize,
    filed: usize,
    form: Option<usize>,
    sic: Option<usize>,
}

/// The columns of a list of filings, under names that no other file has.
pub(crate) const SUBMISSION_COLUMNS: [&str; 5] = ["ADSH OF DATA SET", "CIK", "FILED", "FORM", "SIC"];

impl SubmissionFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        let [accession, cik, filed, form, sic] = SUBMISSION_COLUMNS.map(|name| header.column(&[name]));
        Some(Self { fields: header.len(), accession: accession?, cik: cik?, filed: filed?, form, sic })
    }
}

impl FactFile for SubmissionFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        Ok(Fact::Submission(Submission {
            accession: accession(record.cell(self.accession)).ok_or(Reason::BadNumber)?,
            cik: super::super::cik::number(record.cell(self.cik)).ok_or(Reason::NoSymbol)?,
            filed: dates::in_cell(record.cell(self.filed)).ok_or(Reason::BadDate)?,
            has_years: self.form.and_then(|column| record.text(column)).map(has_years),
            sic: self.sic.and_then(|column| record.text(column)).and_then(|cell| cell.parse().ok()),
        }))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.cik
    }
}

/// An accession number, `0001193125-09-170393`, without its dashes.
fn accession(cell: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(cell).ok()?;
    let digits: String = text.split('-').collect();
    (text.len() == 20 && digits.len() == 18).then(|| digits.parse().ok()).flatten()
}

/// The end of the month that is nearest: companies with years of whole weeks end theirs up to a fortnight beside it. The
/// SEC's data sets round so.
pub(crate) fn month_end(date: NaiveDate) -> NaiveDate {
    let first = date.with_day(1).unwrap_or(date);
    let next = if date.day() <= 15 { Some(first) } else { first.checked_add_months(Months::new(1)) };
    next.and_then(|next| next.checked_sub_days(Days::new(1))).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_the_nearest_month() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        for (date, end) in [
            ("2024-09-28", "2024-09-30"),
            ("2024-02-03", "2024-01-31"),
            ("2024-01-28", "2024-01-31"),
            ("2024-02-29", "2024-02-29"),
            ("2024-12-31", "2024-12-31"),
            ("2025-01-01", "2024-12-31"),
        ] {
            assert_eq!(month_end(day(date)), day(end), "{date}");
        }
    }

    #[test]
    fn accession_numbers_have_eighteen_digits() {
        assert_eq!(accession(b"0001193125-09-170393"), Some(119_312_509_170_393));
        for text in ["us-gaap/2009", "0001193125-09-17039", "", "000119312509170393"] {
            assert_eq!(accession(text.as_bytes()), None, "{text}");
        }
    }
}
