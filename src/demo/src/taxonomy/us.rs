//! The 11 US sectors and the industries of the demo market, in the words of the exchange screeners.
//!
//! The screeners know more industries; the thinly populated ones are left out.

use super::{IndustryClass, industry};

/// The sectors, spelled as in the screeners.
pub(crate) const SECTORS: &[&str] = &[
    "Basic Materials",
    "Consumer Discretionary",
    "Consumer Staples",
    "Energy",
    "Finance",
    "Health Care",
    "Industrials",
    "Real Estate",
    "Technology",
    "Telecommunications",
    "Utilities",
];

const MATERIALS: &str = "Basic Materials";
const DISCRETIONARY: &str = "Consumer Discretionary";
const STAPLES: &str = "Consumer Staples";
const ENERGY: &str = "Energy";
const FINANCE: &str = "Finance";
const HEALTH: &str = "Health Care";
const INDUSTRIALS: &str = "Industrials";
const ESTATE: &str = "Real Estate";
const TECH: &str = "Technology";
const TELECOM: &str = "Telecommunications";
const UTILITIES: &str = "Utilities";

/// The industries with their sector, tag (unused in US symbols), weight, market cap of the largest company in USD billion, and name words.
pub(crate) const INDUSTRIES: &[IndustryClass] = &[
    industry(MATERIALS, "Forest Products", "", (1.0, 15.0), &["Timber", "Forest Products"]),
    industry(MATERIALS, "Major Chemicals", "", (3.0, 120.0), &["Chemical", "Polymers"]),
    industry(MATERIALS, "Metal Mining", "", (4.0, 90.0), &["Mining", "Copper"]),
    industry(MATERIALS, "Precious Metals", "", (6.0, 55.0), &["Gold", "Silver Mines"]),
    industry(DISCRETIONARY, "Apparel", "", (3.0, 110.0), &["Apparel", "Outfitters"]),
    industry(DISCRETIONARY, "Auto Parts:O.E.M.", "", (4.0, 30.0), &["Auto Parts", "Drivetrain"]),
    industry(DISCRETIONARY, "Business Services", "", (8.0, 180.0), &["Services", "Outsourcing"]),
    industry(DISCRETIONARY, "Department/Specialty Retail Stores", "", (3.0, 350.0), &["Stores", "Retail"]),
    industry(DISCRETIONARY, "Homebuilding", "", (3.0, 50.0), &["Homes", "Builders"]),
    industry(DISCRETIONARY, "Hotels/Resorts", "", (4.0, 75.0), &["Hotels", "Resorts"]),
    industry(DISCRETIONARY, "Marine Transportation", "", (4.0, 30.0), &["Shipping", "Tankers"]),
    industry(DISCRETIONARY, "Restaurants", "", (5.0, 210.0), &["Restaurants", "Kitchens"]),
    industry(DISCRETIONARY, "Services-Misc. Amusement & Recreation", "", (5.0, 180.0), &["Parks", "Gaming"]),
    industry(STAPLES, "Beverages (Production/Distribution)", "", (4.0, 270.0), &["Beverages", "Brewing"]),
    industry(STAPLES, "Farming/Seeds/Milling", "", (3.0, 35.0), &["Farms", "Seeds"]),
    industry(STAPLES, "Food Chains", "", (2.0, 60.0), &["Markets", "Grocers"]),
    industry(STAPLES, "Packaged Foods", "", (5.0, 90.0), &["Foods", "Snacks"]),
    industry(ENERGY, "Coal Mining", "", (2.0, 8.0), &["Coal"]),
    industry(ENERGY, "Integrated oil Companies", "", (2.0, 470.0), &["Petroleum"]),
    industry(
        ENERGY,
        "Oil & Gas Production",
        "",
        (10.0, 130.0),
        &["Oil & Gas", "Energy Partners", "Exploration"],
    ),
    industry(ENERGY, "Oilfield Services/Equipment", "", (3.0, 60.0), &["Drilling", "Well Services"]),
    industry(FINANCE, "Finance: Consumer Services", "", (10.0, 190.0), &["Lending", "Credit"]),
    industry(FINANCE, "Investment Bankers/Brokers/Service", "", (5.0, 160.0), &["Securities", "Brokerage"]),
    industry(FINANCE, "Investment Managers", "", (8.0, 150.0), &["Asset Management", "Capital"]),
    industry(FINANCE, "Life Insurance", "", (3.0, 55.0), &["Life"]),
    industry(FINANCE, "Major Banks", "", (24.0, 640.0), &["Bancorp", "Bancshares", "Financial"]),
    industry(FINANCE, "Property-Casualty Insurers", "", (6.0, 210.0), &["Casualty", "Insurance Group"]),
    industry(
        HEALTH,
        "Biotechnology: Biological Products (No Diagnostic Substances)",
        "",
        (12.0, 180.0),
        &["Biologics"],
    ),
    industry(
        HEALTH,
        "Biotechnology: Pharmaceutical Preparations",
        "",
        (30.0, 700.0),
        &["Therapeutics", "Pharmaceuticals"],
    ),
    industry(HEALTH, "Hospital/Nursing Management", "", (2.0, 90.0), &["Hospitals", "Senior Care"]),
    industry(HEALTH, "Medical/Dental Instruments", "", (9.0, 210.0), &["Surgical", "Medical"]),
    industry(HEALTH, "Medical/Nursing Services", "", (3.0, 30.0), &["Health Services", "Clinics"]),
    industry(INDUSTRIALS, "Aerospace", "", (3.0, 170.0), &["Aerospace", "Aviation"]),
    industry(INDUSTRIALS, "Auto Manufacturing", "", (3.0, 800.0), &["Motors"]),
    industry(INDUSTRIALS, "Industrial Machinery/Components", "", (9.0, 170.0), &["Machinery", "Controls"]),
    industry(INDUSTRIALS, "Metal Fabrications", "", (4.0, 35.0), &["Fabrication", "Forge"]),
    industry(INDUSTRIALS, "Military/Government/Technical", "", (3.0, 120.0), &["Defense"]),
    industry(INDUSTRIALS, "Railroads", "", (1.0, 140.0), &["Railroad"]),
    industry(INDUSTRIALS, "Steel/Iron Ore", "", (3.0, 35.0), &["Steel"]),
    industry(INDUSTRIALS, "Trucking Freight/Courier Services", "", (2.0, 100.0), &["Freight", "Trucking"]),
    industry(ESTATE, "Building operators", "", (1.0, 6.0), &["Properties"]),
    industry(ESTATE, "Real Estate Investment Trusts", "", (16.0, 110.0), &["Realty Trust", "Property Trust"]),
    industry(TECH, "Computer Manufacturing", "", (2.0, 2_900.0), &["Computer", "Devices"]),
    industry(TECH, "Computer Software: Prepackaged Software", "", (20.0, 2_800.0), &["Software", "Cloud"]),
    industry(
        TECH,
        "Computer Software: Programming Data Processing",
        "",
        (8.0, 1_900.0),
        &["Data", "Analytics"],
    ),
    industry(TECH, "EDP Services", "", (12.0, 250.0), &["Systems", "Technologies"]),
    industry(TECH, "Electronic Components", "", (3.0, 90.0), &["Electronics", "Circuits"]),
    industry(TECH, "Semiconductors", "", (10.0, 2_600.0), &["Semiconductor", "Photonics"]),
    industry(TELECOM, "Cable & Other Pay Television Services", "", (2.0, 150.0), &["Cable", "Media"]),
    industry(TELECOM, "Computer Communications Equipment", "", (2.0, 220.0), &["Networks"]),
    industry(TELECOM, "Telecommunications Equipment", "", (5.0, 180.0), &["Wireless", "Communications"]),
    industry(UTILITIES, "Electric Utilities: Central", "", (6.0, 150.0), &["Electric", "Energy"]),
    industry(UTILITIES, "Natural Gas Distribution", "", (2.0, 25.0), &["Gas"]),
    industry(UTILITIES, "Power Generation", "", (3.0, 60.0), &["Power", "Renewables"]),
    industry(UTILITIES, "Water Supply", "", (1.5, 22.0), &["Water"]),
];
