//! Maps each industry to the words for its business.
//!
//! It is not random: companies of one industry share their words, and differ by templates and figures.

use super::goods_businesses as goods;
use super::line_of_business::LineOfBusiness;
use super::service_businesses as services;
use crate::taxonomy::IndustryClass;

/// Returns the words of an industry: by its name if its sector is mixed, else by its sector.
pub(super) fn line_of_business(industry: &IndustryClass) -> &'static LineOfBusiness {
    by_name(industry.name).unwrap_or_else(|| by_sector(industry.sector))
}

fn by_name(name: &str) -> Option<&'static LineOfBusiness> {
    Some(match name {
        "Aerospace & Defense" | "Aerospace" | "Military/Government/Technical" => &goods::DEFENCE,
        "Agricultural, Commercial & Construction Vehicles" | "Auto Manufacturing" | "Auto Parts:O.E.M." => {
            &goods::AUTO
        }
        "Fertilizers & Agrochemicals" | "Farming/Seeds/Milling" => &goods::CROPS,
        "Homebuilding" => &services::REALTY,
        "Retailing" | "Department/Specialty Retail Stores" | "Food Chains" => &services::RETAIL,
        "Other Consumer Services" => &services::LEARNING,
        "Banks" | "Major Banks" => &services::BANK,
        "Capital Markets" | "Investment Bankers/Brokers/Service" | "Investment Managers" => {
            &services::MARKETS
        }
        "Insurance" | "Life Insurance" | "Property-Casualty Insurers" => &services::INSURANCE,
        "Healthcare Equipment & Supplies" | "Medical/Dental Instruments" => &goods::DEVICES,
        "Healthcare Services" | "Hospital/Nursing Management" | "Medical/Nursing Services" => &services::CARE,
        "Minerals & Mining" | "Metal Mining" | "Precious Metals" | "Coal Mining" | "Consumable Fuels" => {
            &goods::MINING
        }
        "Steel/Iron Ore" | "Metal Fabrications" => &goods::METALS,
        "Gas" | "Natural Gas Distribution" | "Water Supply" => &services::UTILITY,
        "Forest Products" => &goods::PAPER,
        "Apparel" => &goods::TEXTILES,
        "Business Services" | "Commercial Services & Supplies" => &services::SERVICES,
        "Marine Transportation" | "Railroads" | "Trucking Freight/Courier Services" => &services::LOGISTICS,
        "Computer Manufacturing" | "Electronic Components" | "Semiconductors" => &goods::CHIPS,
        "Electric Utilities: Central" | "Power Generation" => &services::POWER,
        "Cable & Other Pay Television Services" => &services::MEDIA,
        _ => return None,
    })
}

fn by_sector(sector: &str) -> &'static LineOfBusiness {
    match sector {
        "Automobile and Auto Components" => &goods::AUTO,
        "Capital Goods" | "Industrials" => &goods::MACHINES,
        "Chemicals" | "Basic Materials" => &goods::CHEMICALS,
        "Construction" => &goods::CONSTRUCTION,
        "Construction Materials" => &goods::CEMENT,
        "Consumer Durables" => &goods::DURABLES,
        "Consumer Services" | "Consumer Discretionary" => &services::LEISURE,
        "Fast Moving Consumer Goods" | "Consumer Staples" => &goods::FOODS,
        "Financial Services" | "Finance" => &services::LENDER,
        "Forest Materials" => &goods::PAPER,
        "Healthcare" | "Health Care" => &goods::PHARMA,
        "Information Technology" | "Technology" => &services::SOFTWARE,
        "Media Entertainment & Publication" => &services::MEDIA,
        "Metals & Mining" => &goods::METALS,
        "Oil Gas & Consumable Fuels" | "Energy" => &goods::OIL,
        "Power" => &services::POWER,
        "Utilities" => &services::UTILITY,
        "Realty" | "Real Estate" => &services::REALTY,
        "Services" => &services::LOGISTICS,
        "Telecommunication" | "Telecommunications" => &services::TELECOM,
        "Textiles" => &goods::TEXTILES,
        _ => &goods::DIVERSIFIED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy;
    use parquote_catalogue::operation::Market;

    #[test]
    fn only_the_diversified_are_diversified() {
        for industry in Market::ALL.into_iter().flat_map(taxonomy::industries) {
            let is_diversified = std::ptr::eq(line_of_business(industry), &raw const goods::DIVERSIFIED);
            assert_eq!(is_diversified, industry.sector == "Diversified", "{}", industry.name);
        }
    }
}
