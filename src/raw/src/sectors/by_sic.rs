//! Maps SIC, the industry under which a company files with the SEC, to the sectors of the NASDAQ screener.
//!
//! The screener has no published key to it. Listed are the ranges of the classification whose companies the screener puts into one sector,
//! as its listings show; divided ranges (apparel, printing, wholesale, parts of cars) are left out.

/// First and last number of industries, and their sector. If two ranges contain a number, the first is used.
const SECTORS: [(u16, u16, &str); 51] = [
    (100, 999, "Consumer Staples"),
    (1000, 1099, "Basic Materials"),
    (1200, 1399, "Energy"),
    (1400, 1499, "Industrials"),
    (1520, 1531, "Consumer Discretionary"),
    (1600, 1799, "Industrials"),
    (2000, 2099, "Consumer Staples"),
    (2500, 2599, "Consumer Discretionary"),
    (2610, 2639, "Basic Materials"),
    (2810, 2819, "Basic Materials"),
    (2820, 2829, "Industrials"),
    (2833, 2836, "Health Care"),
    (2840, 2844, "Consumer Discretionary"),
    (2860, 2899, "Industrials"),
    (2900, 2999, "Energy"),
    (3310, 3399, "Industrials"),
    (3510, 3569, "Industrials"),
    (3570, 3578, "Technology"),
    (3580, 3599, "Industrials"),
    (3661, 3679, "Technology"),
    (3711, 3711, "Industrials"),
    (3720, 3769, "Industrials"),
    (3812, 3829, "Industrials"),
    (3841, 3851, "Health Care"),
    (3942, 3949, "Consumer Discretionary"),
    (4011, 4013, "Industrials"),
    (4210, 4213, "Industrials"),
    (4512, 4522, "Consumer Discretionary"),
    (4610, 4619, "Energy"),
    (4700, 4799, "Industrials"),
    (4812, 4813, "Telecommunications"),
    (4841, 4841, "Telecommunications"),
    (4900, 4959, "Utilities"),
    (5122, 5122, "Health Care"),
    (5200, 5399, "Consumer Discretionary"),
    (5400, 5499, "Consumer Staples"),
    (5600, 5899, "Consumer Discretionary"),
    (5912, 5912, "Consumer Staples"),
    (5940, 5990, "Consumer Discretionary"),
    (6000, 6299, "Finance"),
    (6324, 6324, "Health Care"),
    (6300, 6411, "Finance"),
    (6500, 6599, "Real Estate"),
    (6770, 6770, "Finance"),
    (6798, 6798, "Real Estate"),
    (7000, 7011, "Consumer Discretionary"),
    (7310, 7311, "Consumer Discretionary"),
    (7371, 7374, "Technology"),
    (7800, 7999, "Consumer Discretionary"),
    (8000, 8099, "Health Care"),
    (8731, 8731, "Health Care"),
];

/// Returns the sector of an industry, if its companies are of one.
pub(super) fn sector(sic: u16) -> Option<&'static str> {
    SECTORS.iter().find(|(first, last, _)| (*first..=*last).contains(&sic)).map(|(.., sector)| *sector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn industries_have_the_sector_of_their_range() {
        for (sic, of) in [
            (7372, Some("Technology")),
            (6021, Some("Finance")),
            (6324, Some("Health Care")),
            (6331, Some("Finance")),
            (6798, Some("Real Estate")),
            (4911, Some("Utilities")),
            (2834, Some("Health Care")),
            (2999, Some("Energy")),
            (3714, None),
            (2320, None),
            (0, None),
            (9999, None),
        ] {
            assert_eq!(sector(sic), of, "{sic}");
        }
    }
}
