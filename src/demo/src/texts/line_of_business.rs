//! A line of business: phrases for products, customers and risks, from which texts are made.
//!
//! The phrases are the rows of `lines_of_business.csv`, without companies or figures; each phrase fits the placeholder of its name. Nothing
//! is random: companies of one industry share their words, and differ by templates and figures.

use std::sync::LazyLock;

use crate::taxonomy::IndustryClass;

/// The words of a line of business. All except `field` are noun phrases without an article.
#[derive(Debug, Default)]
pub(super) struct LineOfBusiness {
    /// Industries with these words.
    industries: Vec<&'static str>,
    /// Sectors with these words, except for industries that are listed elsewhere.
    sectors: Vec<&'static str>,
    /// Products or services.
    pub(super) products: &'static str,
    /// Buyers.
    pub(super) customers: &'static str,
    /// Cost drivers.
    pub(super) inputs: &'static str,
    /// Growth driver.
    pub(super) driver: &'static str,
    /// Risk to sales.
    pub(super) headwind: &'static str,
    /// Competitive advantage.
    pub(super) edge: &'static str,
    /// A sentence on the industry, without its full stop.
    pub(super) field: &'static str,
    /// Reporting segments of a company in this line of business.
    pub(super) segments: [&'static str; 3],
}

static LINES: LazyLock<Vec<LineOfBusiness>> =
    LazyLock::new(|| include_str!("lines_of_business.csv").lines().skip(1).filter_map(parse).collect());
/// The words of an industry that the file lacks; a test excludes this case.
static NO_WORDS: LazyLock<LineOfBusiness> = LazyLock::new(LineOfBusiness::default);

/// Returns the words of an industry: by its name if its sector is mixed, else by its sector; the last ones for an unknown sector.
pub(super) fn words_for_industry(industry: &IndustryClass) -> &'static LineOfBusiness {
    let by_name = LINES.iter().find(|line| line.industries.contains(&industry.name));
    let by_sector = || LINES.iter().find(|line| line.sectors.contains(&industry.sector));
    by_name.or_else(by_sector).or(LINES.last()).unwrap_or(&NO_WORDS)
}

fn parse(row: &'static str) -> Option<LineOfBusiness> {
    let mut cells = row.split(';');
    let mut list = || Some(cells.next()?.split(" | ").collect::<Vec<_>>());
    let (industries, sectors) = (list()?, list()?);
    let mut cell = || cells.next();
    let (products, customers, inputs) = (cell()?, cell()?, cell()?);
    let (driver, headwind, edge, field) = (cell()?, cell()?, cell()?, cell()?);
    let segments: [&'static str; 3] = cell()?.split(" | ").collect::<Vec<_>>().try_into().ok()?;
    Some(LineOfBusiness {
        industries,
        sectors,
        products,
        customers,
        inputs,
        driver,
        headwind,
        edge,
        field,
        segments,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy;
    use parquote_catalogue::operation::Market;

    #[test]
    fn only_the_diversified_are_diversified() {
        assert_eq!(LINES.len(), 34);
        for industry in Market::ALL.into_iter().flat_map(taxonomy::industries) {
            let is_diversified =
                words_for_industry(industry).products.starts_with("industrial, consumer and");
            assert_eq!(is_diversified, industry.sector == "Diversified", "{}", industry.name);
        }
    }
}
