//! Rules that compute line items from the tags and labels of reports: `statement_tags.csv`.
//!
//! A rule is a sum of its tags, each multiplied by `times`. Of the rules for one line item in one taxonomy, the one with the lowest rank
//! and a tag present applies; a tag marked `needed` must be present for its rule to apply, one marked `blank` must be present and not zero,
//! because forms write zero into empty fields. A tag marked `apart` must be present and adds nothing if it equals the sum of those before
//! it: some filers state one borrowing under two tags. Fractions of a whole become percent with `times` 100.

use std::collections::HashMap;
use std::sync::LazyLock;

use parquote_catalogue::operation::line_item::LineItem;

/// The taxonomy of cover pages.
pub const COVER: &str = "dei";
/// The taxonomy that replaces [`COVER`] for foreign companies: their covers state a number of shares, although receipts may be traded.
pub const COVER_OF_FOREIGN: &str = "dei-foreign";

/// The rules as text: one part of a rule per line.
const FILE: &str = include_str!("statement_tags.csv");

/// The number of a tag in [`Tags`], from 0.
pub type Tag = u16;

/// A rule for a line item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TagRule {
    pub(crate) line: LineItem,
    taxonomy: String,
    rank: u8,
    parts: Vec<RulePart>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct RulePart {
    tag: Tag,
    times: f64,
    requirement: Requirement,
}

/// Requirement on a part of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Requirement {
    /// Optional.
    No,
    /// Must be present.
    Yes,
    /// Must be present and not zero.
    NotBlank,
    /// Must be present; if equal to the sum so far, it repeats the same figure.
    Apart,
}

/// The tags that rules use, and the rules that compute line items from them.
#[derive(Debug)]
pub struct Tags {
    /// Numbers of tags, by taxonomy, then by tag.
    numbers: HashMap<String, HashMap<String, Tag>>,
    count: usize,
    /// Rules, ascending by taxonomy, line item and rank.
    rules: Vec<TagRule>,
}

/// The rules of the file. A test reads every line of it; a line that cannot be read is skipped.
pub static TAGS: LazyLock<Tags> = LazyLock::new(|| Tags::read(FILE).0);

impl Tags {
    /// Parses the rules of a text, and returns the lines that cannot be parsed.
    fn read(text: &str) -> (Self, Vec<String>) {
        let mut tags = Self { numbers: HashMap::new(), count: 0, rules: Vec::new() };
        let mut wrong = Vec::new();
        for row in text.lines().skip(1) {
            if tags.add(row).is_none() {
                wrong.push(row.to_owned());
            }
        }
        tags.rules.sort_by(|a, b| (&a.taxonomy, a.line, a.rank).cmp(&(&b.taxonomy, b.line, b.rank)));
        (tags, wrong)
    }

    fn add(&mut self, row: &str) -> Option<()> {
        let mut cells = row.split(',');
        let mut cell = || cells.next().map(str::trim);
        let (taxonomy, tag) = (cell()?, cell()?);
        let (line, rank) = (LineItem::from_word(cell()?)?, cell()?.parse().ok()?);
        let times = cell()?.parse().ok()?;
        let requirement = match cell()? {
            "" => Requirement::No,
            "yes" => Requirement::Yes,
            "blank" => Requirement::NotBlank,
            "apart" => Requirement::Apart,
            _ => return None,
        };
        let tag_numbers = self.numbers.entry(taxonomy.to_owned()).or_default();
        let tag = *tag_numbers.entry(tag.to_owned()).or_insert_with(|| {
            self.count += 1;
            self.count as Tag - 1
        });
        let part = RulePart { tag, times, requirement };
        let is_same =
            |rule: &&mut TagRule| rule.taxonomy == taxonomy && rule.line == line && rule.rank == rank;
        match self.rules.iter_mut().find(is_same) {
            Some(rule) => rule.parts.push(part),
            None => {
                self.rules.push(TagRule { line, taxonomy: taxonomy.to_owned(), rank, parts: vec![part] });
            }
        }
        Some(())
    }

    /// Returns the number of a tag; `None` if no rule uses the tag. `taxonomy` is as written, such as `us-gaap/2009` or `ifrs-full`.
    pub fn number(&self, taxonomy: &str, tag: &str) -> Option<Tag> {
        let taxonomy = match taxonomy.split('/').next()? {
            "ifrs-full" => "ifrs",
            "in-capmkt" => "in-bse-fin",
            other => other,
        };
        self.numbers.get(taxonomy)?.get(tag).copied()
    }

    /// Returns how many tags the rules use.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Computes line items, each with its value and the rank of its rule. `value` returns the figure of a tag.
    pub fn lines<'a>(
        &'a self,
        value: impl Fn(Tag) -> Option<f64> + Copy + 'a,
    ) -> impl Iterator<Item = (LineItem, f64, u8)> + 'a {
        self.rules.chunk_by(|a, b| a.taxonomy == b.taxonomy && a.line == b.line).filter_map(move |ranks| {
            ranks.iter().find_map(|rule| Some((rule.line, rule.sum(value)?, rule.rank)))
        })
    }

    /// Returns true if a tag is of a report's cover, whose dates are not those of the report's periods.
    pub fn is_of_cover(&self, tag: Tag) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.taxonomy.starts_with(COVER) && rule.parts.iter().any(|part| part.tag == tag))
    }
}

impl TagRule {
    fn sum(&self, value: impl Fn(Tag) -> Option<f64>) -> Option<f64> {
        let mut sum: Option<f64> = None;
        for part in &self.parts {
            match (value(part.tag), part.requirement) {
                (None, Requirement::Yes | Requirement::NotBlank | Requirement::Apart) => return None,
                (Some(figure), Requirement::NotBlank) if figure.abs() < f64::MIN_POSITIVE => return None,
                (Some(figure), Requirement::Apart)
                    if sum.is_some_and(|sum| sum.total_cmp(&figure).is_eq()) => {}
                (Some(figure), _) => sum = Some(sum.unwrap_or(0.0) + part.times * figure),
                (None, Requirement::No) => {}
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_a_rule() {
        assert!(FILE.starts_with("taxonomy,tag,line,rank,times,needed\n"));
        let (tags, wrong) = Tags::read(FILE);
        assert_eq!(wrong, Vec::<String>::new());
        for taxonomy in ["us-gaap", "ifrs", "in-bse-fin", "data-sheet"] {
            for line in ["revenue", "pat", "total_assets", "equity", "cfo"] {
                let found = tags.rules.iter().any(|it| it.taxonomy == taxonomy && it.line.word() == line);
                assert!(found, "{taxonomy} {line}");
            }
        }
        assert!(tags.number("us-gaap/2009", "Assets").is_some());
        assert_eq!(tags.number("ifrs-full", "Assets"), tags.number("ifrs/2018", "Assets"));
        assert!(
            tags.number("0001193125-09-154110", "Assets").is_none(),
            "a filer's own tag is nobody else's"
        );
    }

    #[test]
    fn the_lowest_rank_holds_and_parts_are_summed() {
        let (tags, wrong) = Tags::read(
            "taxonomy,tag,line,rank,times,needed\nt,A,revenue,1,1,\nt,B,revenue,2,1,\nt,C,ebit,1,1,yes\nt,D,ebit,1,-1,\n\
             t,E,pat,1,1,blank\nt,F,pat,2,1,\nt,G,tier1_pct,1,100,\n\
             t,H,cash,1,1,yes\nt,I,cash,1,1,apart\n",
        );
        assert!(wrong.is_empty());
        let made = |figures: &[(&str, f64)]| {
            let value = |tag: Tag| {
                let of =
                    |(name, value): &(&str, f64)| (tags.number("t", name) == Some(tag)).then_some(*value);
                figures.iter().find_map(of)
            };
            tags.lines(value).map(|(line, value, _)| (line.word(), value)).collect::<Vec<_>>()
        };
        assert_eq!(made(&[("A", 5.0), ("B", 7.0)]), [("revenue", 5.0)]);
        assert_eq!(made(&[("B", 7.0)]), [("revenue", 7.0)]);
        assert_eq!(made(&[("C", 9.0), ("D", 2.0)]), [("ebit", 7.0)]);
        assert_eq!(made(&[("D", 2.0)]), [], "a needed part is missing");
        assert_eq!(made(&[("E", 0.0), ("F", 3.0)]), [("pat", 3.0)], "a zero in a form is an empty field");
        assert_eq!(made(&[("G", 0.185)]), [("tier1_pct", 18.5)]);
        assert_eq!(made(&[("H", 874.0), ("I", 874.0)]), [("cash", 874.0)], "one figure under two tags");
        assert_eq!(made(&[("H", 3.0), ("I", 4.0)]), [("cash", 7.0)]);
    }
}
