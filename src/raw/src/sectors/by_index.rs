//! Indices of NSE that are named for a sector: their members belong to it, as far as the index goes.
//!
//! It goes a little beyond the sector: a maker of steel tubes is on the list of metals and a capital good on its own. So a list
//! that says a member's sector stands before the name of an index. Lists of the years before 2022 say none for makers of
//! consumer goods, and some lists have no such column.

/// What follows `NIFTY` in the names of such indices, and the sector.
const SECTORS: [(&str, &str); 23] = [
    ("AUTO", "Automobile and Auto Components"),
    ("BANK", "Financial Services"),
    ("CHEMICALS", "Chemicals"),
    ("CONSUMERDURABLES", "Consumer Durables"),
    ("FINANCE", "Financial Services"),
    ("FINANCIALSERVICES", "Financial Services"),
    ("FINANCIALSERVICES2550", "Financial Services"),
    ("FINANCIALSERVICESEXBANK", "Financial Services"),
    ("FMCG", "Fast Moving Consumer Goods"),
    ("HEALTHCARE", "Healthcare"),
    ("HEALTHCAREINDEX", "Healthcare"),
    ("IT", "Information Technology"),
    ("MEDIA", "Media Entertainment & Publication"),
    ("METAL", "Metals & Mining"),
    ("MIDSMALLFINANCIALSERVICES", "Financial Services"),
    ("MIDSMALLHEALTHCARE", "Healthcare"),
    ("OILANDGAS", "Oil Gas & Consumable Fuels"),
    ("OILGAS", "Oil Gas & Consumable Fuels"),
    ("PHARMA", "Healthcare"),
    ("PRIVATEBANK", "Financial Services"),
    ("PSUBANK", "Financial Services"),
    ("PVTBANK", "Financial Services"),
    ("REALTY", "Realty"),
];

/// The sector for which an index is named, if it is.
pub(super) fn sector(index: &str) -> Option<&'static str> {
    let name = index.strip_prefix("NIFTY")?;
    SECTORS.iter().find(|(of, _)| *of == name).map(|(_, sector)| *sector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_say_a_sector() {
        for (index, named) in [
            ("NIFTYFMCG", Some("Fast Moving Consumer Goods")),
            ("NIFTYPSUBANK", Some("Financial Services")),
            ("NIFTYIT", Some("Information Technology")),
            ("NIFTY50", None),
            ("NIFTYITES", None),
            ("FMCG", None),
            // Of producers and makers of many sectors.
            ("NIFTYENERGY", None),
            ("NIFTYINDIACONSUMPTION", None),
        ] {
            assert_eq!(sector(index), named, "{index}");
        }
    }
}
