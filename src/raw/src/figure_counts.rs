//! Counts of figures in reports: those that yield no row, and those that became statements.
//!
//! The counts are a part of the report on raw files; this module only stores and formats them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::domain::note::FigureNote;
use parquote_catalogue::digits::{self, DigitGroups};

/// Maximum number of tags in a line; the rest is in `report.json`.
const TAGS_SHOWN: usize = 10;

/// Counts of figures that yield no row, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnusedFigures {
    /// Figures under tags that map to no line, by tag.
    pub unmapped: BTreeMap<String, u64>,
    /// Figures under tags defined by filers.
    pub own_tags: u64,
    /// Figures of parts of a company.
    pub of_parts: u64,
    /// Empty figures, and figures of spans other than a day and one to four quarters.
    pub other_spans: u64,
}

/// Counts of reading statements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StatementCounts {
    /// Companies with figures.
    pub companies: u64,
    /// Figures in the table.
    pub lines: u64,
    /// Figures in the table that are the difference of two longer spans.
    pub differences: u64,
    /// Figures in files under a tag that maps to a line.
    pub tagged: u64,
    /// Figures that a later filing repeats.
    pub repeated: u64,
    /// Figures replaced by another of the same day, or by one with a date.
    pub superseded: u64,
    /// Figures of half-years, of nine months and of days on which no period ends.
    pub unused_spans: u64,
    /// Figures under a tag in another currency than that of most figures of their filing.
    pub other_currencies: u64,
}

impl UnusedFigures {
    pub(super) fn add(&mut self, note: FigureNote) {
        match note {
            FigureNote::UnmappedTag(tag) => *self.unmapped.entry(tag).or_default() += 1,
            FigureNote::FilerTag => self.own_tags += 1,
            FigureNote::PartFigure => self.of_parts += 1,
            FigureNote::OtherSpan => self.other_spans += 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unmapped.is_empty() && self.own_tags + self.of_parts + self.other_spans == 0
    }

    pub(super) fn append(&mut self, other: &Self) {
        for (tag, count) in &other.unmapped {
            *self.unmapped.entry(tag.clone()).or_default() += count;
        }
        self.own_tags += other.own_tags;
        self.of_parts += other.of_parts;
        self.other_spans += other.other_spans;
    }

    /// Formats the counts in a line, with the most frequent tags.
    pub(super) fn format_counts(&self, format: &str) -> String {
        let unmapped: u64 = self.unmapped.values().sum();
        let mut tags: Vec<(&String, &u64)> = self.unmapped.iter().collect();
        tags.sort_by_key(|(tag, count)| (Reverse(**count), *tag));
        let tags: Vec<String> = tags
            .iter()
            .take(TAGS_SHOWN)
            .map(|(tag, count)| format!("{tag} {}", group_digits(**count)))
            .collect();
        format!(
            "{format}: {} under tags that make no line, {} under tags of the filers' own, {} of parts of a company, \
             {} of other spans; most often {}",
            group_digits(unmapped),
            group_digits(self.own_tags),
            group_digits(self.of_parts),
            group_digits(self.other_spans),
            if tags.is_empty() { "none".to_owned() } else { tags.join(", ") }
        )
    }
}

impl StatementCounts {
    pub(super) fn add(&mut self, other: &Self) {
        self.companies += other.companies;
        self.lines += other.lines;
        self.differences += other.differences;
        self.tagged += other.tagged;
        self.repeated += other.repeated;
        self.superseded += other.superseded;
        self.unused_spans += other.unused_spans;
    }
}

impl fmt::Display for StatementCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} figures of {} companies, {} of them differences; {} repeated, {} superseded, {} of spans not used",
            group_digits(self.lines),
            group_digits(self.companies),
            group_digits(self.differences),
            group_digits(self.repeated),
            group_digits(self.superseded),
            group_digits(self.unused_spans)
        )
    }
}

/// Formats a count with separated thousands: `1,234,567`.
pub(super) fn group_digits(count: u64) -> String {
    digits::group_digits(&count.to_string(), DigitGroups::Thousands)
}
