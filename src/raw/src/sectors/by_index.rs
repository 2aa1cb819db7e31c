//! NSE indices that are named for a sector: their members count as belonging to it.
//!
//! The indices reach a little beyond the sector: a maker of steel tubes is in the metals index, but its own sector is capital goods. A list
//! with a member's sector therefore has precedence over the name of an index. Lists before 2022 have none for makers of consumer goods, and
//! some lists lack the column.

/// The part after `NIFTY` in the names of such indices, and the sector.
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

/// Returns the sector for which an index is named, if any.
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
