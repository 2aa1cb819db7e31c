//! A piece of a file of statements: its figures as they are gathered, and as bytes to be remembered by.
//!
//! The rank of the file is not among the bytes: it is the order of the files that are there now.

use chrono::{Datelike, NaiveDate};

use super::super::fact::Fact;
use super::super::files::Source;
use super::super::ledger::{Counts, ReadPiece};
use super::super::read_faults::Ending;
use super::super::reason::Reason;
use super::super::refused::RefusedRows;
use super::super::remembered::{Packer, PieceBytes, Place, Unpacker};
use super::gathered::{Filed, Filing, Gathered, Numbered, TaggedRow};
use super::row::{Basis, Span, StatementRow, Who};
use crate::derive::Noted;
use crate::operation::Market;
use crate::operation::statement_line::Line;

const SPANS: [Span; 5] = [Span::Day, Span::Year, Span::Quarter, Span::Half, Span::NineMonths];
const BASES: [Basis; 2] = [Basis::Consolidated, Basis::Standalone];

/// The currency of a figure that has none.
const NO_CURRENCY: [u8; 3] = [0; 3];

/// Consecutive rows of a file, gathered.
#[derive(Debug)]
pub(crate) struct StatementPiece {
    /// Figures; companies, sources and filings have numbers of the piece's own.
    pub(crate) gathered: Gathered,
    pub(crate) counts: Counts,
    pub(crate) refused: RefusedRows,
    /// How the file ends, where this is its last piece.
    pub(crate) ending: Ending,
    /// The newest day on which a row of it was known.
    newest: Option<NaiveDate>,
}

impl StatementPiece {
    /// Gathers what was read of a file.
    pub(crate) fn of(mut piece: ReadPiece<(u32, Fact)>, file: &Source, market: Market) -> Self {
        let noted = piece.noted();
        let counts = Counts { rows: piece.rows.len() as u64, read: piece.read, noted };
        let newest = piece.rows.iter().filter_map(|(_, fact)| fact.date()).max();
        let mut gathered = Gathered::default();
        for (line, fact) in piece.rows {
            match fact {
                Fact::Tagged(row) => gathered.add_tagged(*row, line, file, market),
                Fact::Submission(row) => gathered.add_submission(&row, file),
                Fact::StatementLine(row) => gathered.add(*row, line, file, market),
                // Files of statements have nothing else.
                _ => {}
            }
        }
        Self { gathered, counts, refused: piece.refused, ending: piece.ending, newest }
    }

    /// The piece as bytes; none where it may be another one the next time: where rows are refused by their date, or the rest of
    /// the file cannot be read.
    pub(crate) fn to_bytes(&self) -> Option<PieceBytes> {
        /// What a figure takes, mostly.
        const FIGURE: usize = 32;
        let is_passing = self.refused.counts().contains_key(Reason::AfterAsOf.words());
        if is_passing || matches!(self.ending, Ending::Fault(_)) {
            return None;
        }
        let Self { gathered, counts, refused, newest, .. } = self;
        let room = (gathered.rows.len() + gathered.tagged.len()) * FIGURE + refused.member().len();
        let mut packer = Packer { bytes: Vec::with_capacity(room) };
        packer.number(day(*newest) as u64);
        packer.number(counts.rows);
        pack_noted(&counts.noted, &mut packer);
        pack_companies(&gathered.companies.all, &mut packer);
        packer.number(gathered.sources.all.len() as u64);
        gathered.sources.all.iter().for_each(|source| pack_text(source, &mut packer));
        pack_rows(&gathered.rows, &mut packer);
        pack_filings(gathered, &mut packer);
        pack_tagged(&gathered.tagged, &mut packer);
        packer.bytes.extend_from_slice(refused.member());
        Some(PieceBytes::new(packer.bytes))
    }

    /// The piece of these bytes, if reading its file up to a date would give the same: if nothing in it is newer. `file` is the
    /// rank of its file.
    pub(crate) fn of_bytes(bytes: &[u8], place: &Place, file: u32, as_of: Option<NaiveDate>) -> Option<Self> {
        let mut unpacker = Unpacker { bytes };
        let newest = unpacker.number()? as i64;
        if as_of.is_some_and(|as_of| newest > day(Some(as_of))) {
            return None;
        }
        let newest = date(newest);
        let rows = unpacker.number()?;
        let noted = noted(&mut unpacker)?;
        let companies = Numbered::of(companies(&mut unpacker)?);
        let sources: Option<Vec<String>> = (0..unpacker.number()?).map(|_| text(&mut unpacker)).collect();
        let mut gathered = Gathered { companies, sources: Numbered::of(sources?), ..Gathered::default() };
        gathered.rows = self::rows(&mut unpacker, file)?;
        let (filings, filed) = filings(&mut unpacker, file)?;
        (gathered.filings, gathered.filed) = (Numbered::of(filings), filed);
        gathered.tagged = tagged(&mut unpacker, file)?;
        let refused = RefusedRows::packed(place.refused.clone(), unpacker.bytes.to_vec());
        let counts = Counts { rows, read: place.read, noted };
        Some(Self { gathered, counts, refused, ending: place.ending(), newest })
    }
}

/// A date as a number; no date is the number before all.
fn day(date: Option<NaiveDate>) -> i64 {
    date.map_or(0, |date| i64::from(date.num_days_from_ce()))
}

fn date(day: i64) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(day).ok()?).filter(|_| day != 0)
}

fn letters(currency: [u8; 3]) -> i64 {
    let [a, b, c] = currency;
    i64::from(u32::from_le_bytes([a, b, c, 0]))
}

fn currency(letters: i64) -> [u8; 3] {
    let [a, b, c, _] = (letters as u32).to_le_bytes();
    [a, b, c]
}

fn pack_text(text: &str, packer: &mut Packer) {
    packer.number(text.len() as u64);
    packer.bytes.extend_from_slice(text.as_bytes());
}

fn text(unpacker: &mut Unpacker<'_>) -> Option<String> {
    let length = usize::try_from(unpacker.number()?).ok()?;
    String::from_utf8(unpacker.take(length)?.to_vec()).ok()
}

fn pack_noted(noted: &Noted, packer: &mut Packer) {
    for count in [noted.own_tags, noted.of_parts, noted.other_spans] {
        packer.number(count);
    }
    packer.number(noted.unmapped.len() as u64);
    for (tag, count) in &noted.unmapped {
        pack_text(tag, packer);
        packer.number(*count);
    }
}

fn noted(unpacker: &mut Unpacker<'_>) -> Option<Noted> {
    let [own_tags, of_parts, other_spans] = [unpacker.number()?, unpacker.number()?, unpacker.number()?];
    let tags = unpacker.number()?;
    let unmapped = (0..tags).map(|_| Some((text(unpacker)?, unpacker.number()?))).collect::<Option<_>>()?;
    Some(Noted { unmapped, own_tags, of_parts, other_spans })
}

fn pack_companies(companies: &[Who], packer: &mut Packer) {
    packer.number(companies.len() as u64);
    for company in companies {
        match company {
            Who::Symbol(text) => {
                packer.number(0);
                pack_text(text, packer);
            }
            Who::Cik(cik) => {
                packer.number(1);
                packer.number(*cik);
            }
            Who::Name(text) => {
                packer.number(2);
                pack_text(text, packer);
            }
        }
    }
}

fn companies(unpacker: &mut Unpacker<'_>) -> Option<Vec<Who>> {
    let count = unpacker.number()?;
    let company = |_| match unpacker.number()? {
        0 => text(unpacker).map(Who::Symbol),
        1 => unpacker.number().map(Who::Cik),
        _ => text(unpacker).map(Who::Name),
    };
    (0..count).map(company).collect()
}

fn pack_rows(rows: &[StatementRow], packer: &mut Packer) {
    let rows = rows.iter();
    packer.number(rows.len() as u64);
    packer.column(rows.clone().map(|row| i64::from(row.company)));
    packer.column(rows.clone().map(|row| day(Some(row.period_end))));
    packer.column(rows.clone().map(|row| row.span as i64));
    packer.column(rows.clone().map(|row| row.basis as i64));
    packer.column(rows.clone().map(|row| i64::from(row.line.place())));
    packer.prices(rows.clone().map(|row| row.value));
    packer.column(rows.clone().map(|row| letters(row.currency)));
    packer.column(rows.clone().map(|row| day(row.filed_at)));
    packer.column(rows.clone().map(|row| i64::from(row.source)));
    packer.column(rows.map(|row| i64::from(row.at)));
}

fn rows(unpacker: &mut Unpacker<'_>, file: u32) -> Option<Vec<StatementRow>> {
    let count = usize::try_from(unpacker.number()?).ok()?;
    let none = StatementRow {
        company: 0,
        period_end: NaiveDate::MIN,
        span: Span::Day,
        basis: Basis::Consolidated,
        line: Line::default(),
        value: 0.0,
        currency: NO_CURRENCY,
        filed_at: None,
        source: 0,
        file,
        at: 0,
    };
    let mut rows = vec![none; count];
    unpacker.column(&mut rows, |row, value| row.company = value as u32)?;
    unpacker.column(&mut rows, |row, value| row.period_end = date(value).unwrap_or_default())?;
    unpacker.column(&mut rows, |row, value| row.span = span(value))?;
    unpacker.column(&mut rows, |row, value| row.basis = basis(value))?;
    unpacker.column(&mut rows, |row, value| row.line = Line::at(value as u8).unwrap_or_default())?;
    unpacker.prices(&mut rows, |row, value| row.value = value)?;
    unpacker.column(&mut rows, |row, value| row.currency = currency(value))?;
    unpacker.column(&mut rows, |row, value| row.filed_at = date(value))?;
    unpacker.column(&mut rows, |row, value| row.source = value as u32)?;
    unpacker.column(&mut rows, |row, value| row.at = value as u32)?;
    Some(rows)
}

fn span(number: i64) -> Span {
    SPANS.get(number as usize).copied().unwrap_or(Span::Day)
}

fn basis(number: i64) -> Basis {
    BASES.get(number as usize).copied().unwrap_or(Basis::Consolidated)
}

fn pack_filings(gathered: &Gathered, packer: &mut Packer) {
    let filings = gathered.filings.all.iter().zip(&gathered.filed);
    packer.number(gathered.filings.all.len() as u64);
    packer.column(filings.clone().map(|(filing, _)| match filing {
        Filing::Accession(number) => *number as i64,
        Filing::File(_) => -1,
    }));
    packer.column(filings.clone().map(|(_, filed)| filed.company.map_or(-1, i64::from)));
    packer.column(filings.clone().map(|(_, filed)| day(filed.on)));
    packer.column(filings.clone().map(|(_, filed)| filed.has_years.map_or(-1, i64::from)));
    packer.column(filings.clone().map(|(_, filed)| filed.sic.map_or(-1, i64::from)));
    packer.column(filings.map(|(_, filed)| i64::from(filed.source)));
}

fn filings(unpacker: &mut Unpacker<'_>, file: u32) -> Option<(Vec<Filing>, Vec<Filed>)> {
    let count = usize::try_from(unpacker.number()?).ok()?;
    let mut filings = vec![(Filing::File(file), Filed::default()); count];
    unpacker.column(&mut filings, |(filing, _), value| {
        *filing = u64::try_from(value).map_or(Filing::File(file), Filing::Accession);
    })?;
    unpacker.column(&mut filings, |(_, filed), value| filed.company = u32::try_from(value).ok())?;
    unpacker.column(&mut filings, |(_, filed), value| filed.on = date(value))?;
    unpacker.column(&mut filings, |(_, filed), value| filed.has_years = (value >= 0).then_some(value > 0))?;
    unpacker.column(&mut filings, |(_, filed), value| filed.sic = u16::try_from(value).ok())?;
    unpacker.column(&mut filings, |(_, filed), value| filed.source = value as u32)?;
    Some(filings.into_iter().unzip())
}

fn pack_tagged(tagged: &[TaggedRow], packer: &mut Packer) {
    let rows = tagged.iter();
    packer.number(rows.len() as u64);
    packer.column(rows.clone().map(|row| i64::from(row.filing)));
    packer.column(rows.clone().map(|row| day(Some(row.end))));
    packer.prices(rows.clone().map(|row| row.value));
    packer.column(rows.clone().map(|row| i64::from(row.at)));
    packer.column(rows.clone().map(|row| i64::from(row.tag)));
    packer.column(rows.clone().map(|row| row.span as i64));
    packer.column(rows.clone().map(|row| row.basis as i64));
    packer.column(rows.map(|row| letters(row.currency.unwrap_or(NO_CURRENCY))));
}

fn tagged(unpacker: &mut Unpacker<'_>, file: u32) -> Option<Vec<TaggedRow>> {
    let none = TaggedRow {
        filing: 0,
        end: NaiveDate::MIN,
        value: 0.0,
        file,
        at: 0,
        tag: 0,
        span: Span::Day,
        basis: Basis::Consolidated,
        currency: None,
    };
    let mut rows = vec![none; usize::try_from(unpacker.number()?).ok()?];
    unpacker.column(&mut rows, |row, value| row.filing = value as u32)?;
    unpacker.column(&mut rows, |row, value| row.end = date(value).unwrap_or_default())?;
    unpacker.prices(&mut rows, |row, value| row.value = value)?;
    unpacker.column(&mut rows, |row, value| row.at = value as u32)?;
    unpacker.column(&mut rows, |row, value| row.tag = value as u16)?;
    unpacker.column(&mut rows, |row, value| row.span = span(value))?;
    unpacker.column(&mut rows, |row, value| row.basis = basis(value))?;
    unpacker.column(&mut rows, |row, value| {
        row.currency = Some(currency(value)).filter(|currency| *currency != NO_CURRENCY);
    })?;
    Some(rows)
}
