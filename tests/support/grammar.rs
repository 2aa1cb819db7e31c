//! The vocabulary for reading sentences: the columns that the operations select, and all sectors and industries of the
//! classifications, which are more than the small demo market has companies for.

use std::sync::Arc;

use parquote::language::{Fields, Grammar, SnapshotWords, Vocabulary};
use parquote::operation::{Arguments, Market, Tier};

use crate::demo_market::{CATALOGUE, RUNTIME};
use crate::server::SERVER;

const INDIA_SECTORS: &[&str] = &[
    "Automobile and Auto Components",
    "Capital Goods",
    "Chemicals",
    "Construction",
    "Construction Materials",
    "Consumer Durables",
    "Consumer Services",
    "Diversified",
    "Fast Moving Consumer Goods",
    "Financial Services",
    "Forest Materials",
    "Healthcare",
    "Information Technology",
    "Media Entertainment & Publication",
    "Metals & Mining",
    "Oil Gas & Consumable Fuels",
    "Power",
    "Realty",
    "Services",
    "Telecommunication",
    "Textiles",
    "Utilities",
];

const INDIA_INDUSTRIES: &[&str] = &[
    "Automobiles",
    "Auto Components",
    "Aerospace & Defense",
    "Agricultural, Commercial & Construction Vehicles",
    "Electrical Equipment",
    "Industrial Manufacturing",
    "Industrial Products",
    "Chemicals & Petrochemicals",
    "Fertilizers & Agrochemicals",
    "Construction",
    "Cement & Cement Products",
    "Consumer Durables",
    "Leisure Services",
    "Other Consumer Services",
    "Retailing",
    "Diversified",
    "Agricultural Food & other Products",
    "Beverages",
    "Cigarettes & Tobacco Products",
    "Food Products",
    "Personal Products",
    "Diversified FMCG",
    "Finance",
    "Banks",
    "Capital Markets",
    "Insurance",
    "Financial Technology (Fintech)",
    "Paper, Forest & Jute Products",
    "Pharmaceuticals & Biotechnology",
    "Healthcare Equipment & Supplies",
    "Healthcare Services",
    "IT - Software",
    "IT - Services",
    "Media",
    "Entertainment",
    "Ferrous Metals",
    "Non-Ferrous Metals",
    "Minerals & Mining",
    "Gas",
    "Oil",
    "Petroleum Products",
    "Consumable Fuels",
    "Power",
    "Realty",
    "Transport Services",
    "Transport Infrastructure",
    "Commercial Services & Supplies",
    "Telecom - Services",
    "Telecom - Equipment & Accessories",
    "Textiles & Apparels",
    "Other Utilities",
];

const US_SECTORS: &[&str] = &[
    "Basic Materials", "Consumer Discretionary", "Consumer Staples", "Energy", "Finance", "Health Care",
    "Industrials", "Real Estate", "Technology", "Telecommunications", "Utilities",
];

const US_INDUSTRIES: &[&str] = &[
    "Forest Products",
    "Major Chemicals",
    "Metal Mining",
    "Precious Metals",
    "Apparel",
    "Auto Parts:O.E.M.",
    "Business Services",
    "Department/Specialty Retail Stores",
    "Homebuilding",
    "Hotels/Resorts",
    "Marine Transportation",
    "Restaurants",
    "Services-Misc. Amusement & Recreation",
    "Beverages (Production/Distribution)",
    "Farming/Seeds/Milling",
    "Food Chains",
    "Packaged Foods",
    "Coal Mining",
    "Integrated oil Companies",
    "Oil & Gas Production",
    "Oilfield Services/Equipment",
    "Finance: Consumer Services",
    "Investment Bankers/Brokers/Service",
    "Investment Managers",
    "Life Insurance",
    "Major Banks",
    "Property-Casualty Insurers",
    "Biotechnology: Biological Products (No Diagnostic Substances)",
    "Biotechnology: Pharmaceutical Preparations",
    "Hospital/Nursing Management",
    "Medical/Dental Instruments",
    "Medical/Nursing Services",
    "Aerospace",
    "Auto Manufacturing",
    "Industrial Machinery/Components",
    "Metal Fabrications",
    "Military/Government/Technical",
    "Railroads",
    "Steel/Iron Ore",
    "Trucking Freight/Courier Services",
    "Building operators",
    "Real Estate Investment Trusts",
    "Computer Manufacturing",
    "Computer Software: Prepackaged Software",
    "Computer Software: Programming Data Processing",
    "EDP Services",
    "Electronic Components",
    "Semiconductors",
    "Cable & Other Pay Television Services",
    "Computer Communications Equipment",
    "Telecommunications Equipment",
    "Electric Utilities: Central",
    "Natural Gas Distribution",
    "Power Generation",
    "Water Supply",
];

const INDIA_INDICES: &[&str] = &[
    "NIFTY50", "NIFTYNEXT50", "NIFTY500", "NIFTYMIDCAP150", "NIFTYBANK", "NIFTYIT", "NIFTYFINANCIALSERVICES",
];

const US_INDICES: &[&str] = &["SP500", "NDX100", "DOW30"];

/// Returns the fields of a market over these columns.
pub(crate) fn fields_of(market: Market, columns: &[&str]) -> Fields {
    fields_with(Vocabulary::from_catalogue(&CATALOGUE).unwrap(), market, columns)
}

/// Returns the same fields with another vocabulary.
pub(crate) fn fields_with(vocabulary: Vocabulary, market: Market, columns: &[&str]) -> Fields {
    let (sectors, industries, indices) = match market {
        Market::India => (INDIA_SECTORS, INDIA_INDUSTRIES, INDIA_INDICES),
        Market::Us => (US_SECTORS, US_INDUSTRIES, US_INDICES),
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (sectors, industries, indices) = (owned(sectors), owned(industries), owned(indices));
    Fields::new(
        market,
        Arc::new(vocabulary),
        SnapshotWords { columns, sectors: &sectors, industries: &industries, indices: &indices },
    )
}

/// Returns the fields of a market over every column that its operation selects.
pub(crate) fn fields(market: Market) -> Fields {
    let columns = columns(market);
    fields_of(market, &columns.iter().map(String::as_str).collect::<Vec<_>>())
}

fn columns(market: Market) -> Vec<String> {
    let name = match market {
        Market::India => "screener/natural-language",
        Market::Us => "us/screener/natural-language",
    };
    let operation = CATALOGUE.operation(name).unwrap();
    let arguments = Arguments::parse(operation, Tier::ApiMax, [("query", "low debt")]).unwrap();
    let snapshot = SERVER.service().snapshot();
    let prepared = snapshot.prepared_operation(operation, operation.market).unwrap();
    let rows = RUNTIME.block_on(prepared.rows(&arguments, prepared.deadline())).unwrap();
    rows.columns().iter().map(|column| column.name.clone()).collect()
}

/// Returns the grammar over these fields.
pub(crate) fn grammar(market: Market) -> Grammar {
    Grammar::new(fields(market))
}
