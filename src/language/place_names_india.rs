//! What sectors and industries are called in India; the official names are those of NSE's index lists.

use super::place_name::Target::{Exchange, Index, Industry, IndustryWith, Sector};
use super::place_name::{PlaceName, named};

/// The names.
pub(super) const INDIA: &[PlaceName] = &[
    named(
        &["auto", "automobile", "automotive", "automobile sector", "vehicle", "auto sector"],
        &[Sector("Automobile and Auto Components")],
    ),
    named(&["car maker", "carmaker", "auto maker", "automaker"], &[Industry("Automobiles")]),
    named(&["auto ancillary", "auto part", "auto component"], &[Industry("Auto Components")]),
    named(&["defence", "defense", "aerospace", "aerospace and defence"], &[IndustryWith("Aerospace")]),
    named(&["tractor", "commercial vehicle", "truck"], &[IndustryWith("Construction Vehicles")]),
    named(
        &["electrical", "electrical equipment", "switchgear", "transformer"],
        &[Industry("Electrical Equipment")],
    ),
    named(&["capital good", "engineering", "industrials"], &[Sector("Capital Goods")]),
    named(&["chemical", "specialty chemical", "speciality chemical"], &[Sector("Chemicals")]),
    named(
        &["fertilizer", "fertiliser", "agrochemical", "agro chemical", "pesticide"],
        &[IndustryWith("Fertilizers")],
    ),
    named(&["infra", "infrastructure", "construction", "epc"], &[Sector("Construction")]),
    named(&["cement"], &[IndustryWith("Cement")]),
    named(&["building material", "construction material"], &[Sector("Construction Materials")]),
    named(
        &["consumer durable", "appliance", "white good", "jewellery", "jewelry"],
        &[Sector("Consumer Durables")],
    ),
    named(&["hotel", "leisure", "hospitality", "resort"], &[Industry("Leisure Services")]),
    named(&["retail", "retailer", "retailing"], &[Industry("Retailing")]),
    named(&["consumer service"], &[Sector("Consumer Services")]),
    named(
        &["fmcg", "consumer staple", "fast moving consumer goods", "consumer good"],
        &[Sector("Fast Moving Consumer Goods")],
    ),
    named(&["sugar", "tea", "edible oil", "agri", "agriculture"], &[IndustryWith("Agricultural Food")]),
    named(&["beverage", "liquor", "brewery", "distillery", "alcohol"], &[Industry("Beverages")]),
    named(&["cigarette", "tobacco"], &[IndustryWith("Tobacco")]),
    named(&["food", "packaged food", "dairy"], &[Industry("Food Products")]),
    named(&["personal care", "cosmetic", "personal product"], &[Industry("Personal Products")]),
    named(
        &["financial", "financials", "financial service", "bfsi", "finance", "financial company", "lender"],
        &[Sector("Financial Services")],
    ),
    named(&["bank", "banking", "banking sector"], &[Industry("Banks")]),
    named(
        &["nbfc", "non banking financial company", "non banking finance", "housing finance", "microfinance"],
        &[Industry("Finance")],
    ),
    named(
        &[
            "broker",
            "broking",
            "brokerage",
            "exchanges",
            "asset manager",
            "asset management",
            "amc",
            "capital market",
        ],
        &[Industry("Capital Markets")],
    ),
    named(&["insurance", "insurer", "life insurance", "general insurance"], &[Industry("Insurance")]),
    named(&["fintech", "payment", "financial technology"], &[IndustryWith("Fintech")]),
    named(&["paper", "forest material", "jute"], &[IndustryWith("Paper")]),
    named(
        &[
            "pharma",
            "pharmaceutical",
            "drug maker",
            "drugmaker",
            "biotech",
            "biotechnology",
            "drug",
            "pharma sector",
        ],
        &[IndustryWith("Pharmaceuticals")],
    ),
    named(
        &["medical device", "medical equipment", "healthcare equipment"],
        &[IndustryWith("Healthcare Equipment")],
    ),
    named(
        &["hospital", "diagnostic", "healthcare service", "pathology", "clinic"],
        &[Industry("Healthcare Services")],
    ),
    named(&["healthcare", "health care"], &[Sector("Healthcare")]),
    named(
        &["it", "tech", "technology", "information technology", "it sector", "tech sector"],
        &[Sector("Information Technology")],
    ),
    named(&["software", "it software"], &[Industry("IT - Software")]),
    named(&["it service", "technology service"], &[Industry("IT - Services")]),
    named(&["media", "media and entertainment"], &[Sector("Media Entertainment & Publication")]),
    named(&["broadcaster", "television", "tv"], &[Industry("Media")]),
    named(&["film", "movie", "entertainment", "gaming"], &[Industry("Entertainment")]),
    named(&["metal", "metal and mining", "metals and mining"], &[Sector("Metals & Mining")]),
    named(&["steel", "iron", "ferrous metal"], &[Industry("Ferrous Metals")]),
    named(
        &["aluminium", "aluminum", "copper", "zinc", "non ferrous", "non ferrous metal"],
        &[Industry("Non-Ferrous Metals")],
    ),
    named(&["mining", "miner", "mineral"], &[Industry("Minerals & Mining")]),
    named(
        &["oil and gas", "oil gas", "oil", "petroleum", "oil and gas sector"],
        &[Sector("Oil Gas & Consumable Fuels")],
    ),
    named(&["gas", "city gas", "gas distribution", "gas distributor"], &[Industry("Gas")]),
    named(
        &["refinery", "refiner", "oil marketing", "lubricant", "petroleum product"],
        &[Industry("Petroleum Products")],
    ),
    named(&["coal"], &[Industry("Consumable Fuels")]),
    named(&["energy", "energy sector"], &[Sector("Oil Gas & Consumable Fuels"), Sector("Power")]),
    named(
        &["power", "electricity", "renewable", "power sector", "solar", "power generation"],
        &[Sector("Power")],
    ),
    named(&["realty", "real estate", "property", "property developer", "realtor"], &[Sector("Realty")]),
    named(
        &["logistic", "shipping", "airline", "transport", "transportation", "aviation"],
        &[Industry("Transport Services")],
    ),
    named(&["port", "airport"], &[Industry("Transport Infrastructure")]),
    named(&["telecom", "telecommunication", "telco"], &[Sector("Telecommunication")]),
    named(&["telecom service"], &[IndustryWith("Telecom - Services")]),
    named(&["telecom equipment"], &[IndustryWith("Telecom - Equipment")]),
    named(&["textile", "apparel", "garment"], &[Sector("Textiles")]),
    named(&["utility", "utilities"], &[Sector("Utilities")]),
    named(&["conglomerate", "diversified"], &[Sector("Diversified")]),
    named(&["nse"], &[Exchange("NSE")]),
    named(&["bse"], &[Exchange("BSE")]),
    // `nifty` alone begins the names of many indices; beside a noun it is the first of them.
    named(&["nifty (stock|company|share|name|member|constituent|fifty)"], &[Index("NIFTY50")]),
    named(&["(nifty junior|junior nifty)"], &[Index("NIFTYNEXT50")]),
    named(
        &["fin nifty", "finnifty", "nifty financials"],
        &[Index("NIFTYFINANCIALSERVICES"), Index("NIFTYFINANCE")],
    ),
];
