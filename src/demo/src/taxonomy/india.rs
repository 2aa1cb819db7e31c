//! The 22 NSE sectors (the column `Industry` of index lists) and the 51 industries of the demo market.
//!
//! NSE's full list has more industries; the thinly populated ones are left out. The words are NSE's own.

use super::{IndustryClass, industry};

/// The sectors, spelled as in index lists.
pub(crate) const SECTORS: &[&str] = &[
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

const AUTO: &str = "Automobile and Auto Components";
const GOODS: &str = "Capital Goods";
const CHEM: &str = "Chemicals";
const FMCG: &str = "Fast Moving Consumer Goods";
const FIN: &str = "Financial Services";
const HEALTH: &str = "Healthcare";
const IT: &str = "Information Technology";
const MEDIA: &str = "Media Entertainment & Publication";
const METAL: &str = "Metals & Mining";
const OIL: &str = "Oil Gas & Consumable Fuels";

/// The industries with their sector, symbol tag, weight, market cap of the largest company in INR crore, and name words.
pub(crate) const INDUSTRIES: &[IndustryClass] = &[
    industry(AUTO, "Automobiles", "MOTO", (2.0, 400_000.0), &["Motors", "Automobiles"]),
    industry(
        AUTO,
        "Auto Components",
        "AUTO",
        (8.0, 120_000.0),
        &["Auto Components", "Forgings", "Drivelines"],
    ),
    industry(GOODS, "Aerospace & Defense", "AERO", (2.0, 260_000.0), &["Aerospace", "Defence Systems"]),
    industry(
        GOODS,
        "Agricultural, Commercial & Construction Vehicles",
        "TRAC",
        (1.0, 90_000.0),
        &["Tractors", "Trucks"],
    ),
    industry(
        GOODS,
        "Electrical Equipment",
        "ELEC",
        (6.0, 160_000.0),
        &["Electricals", "Switchgear", "Transformers"],
    ),
    industry(GOODS, "Industrial Manufacturing", "MACH", (5.0, 60_000.0), &["Machines", "Machine Works"]),
    industry(
        GOODS,
        "Industrial Products",
        "INDS",
        (12.0, 90_000.0),
        &["Pipes", "Bearings", "Castings", "Cables"],
    ),
    industry(
        CHEM,
        "Chemicals & Petrochemicals",
        "CHEM",
        (10.0, 130_000.0),
        &["Chemicals", "Organics", "Polymers"],
    ),
    industry(CHEM, "Fertilizers & Agrochemicals", "AGRO", (3.0, 70_000.0), &["Fertilisers", "Crop Sciences"]),
    industry("Construction", "Construction", "INFR", (8.0, 450_000.0), &["Infra Projects", "Constructions"]),
    industry("Construction Materials", "Cement & Cement Products", "CEM", (3.0, 300_000.0), &["Cements"]),
    industry(
        "Consumer Durables",
        "Consumer Durables",
        "HOME",
        (9.0, 280_000.0),
        &["Appliances", "Ceramics", "Jewels"],
    ),
    industry("Consumer Services", "Leisure Services", "STAY", (4.0, 100_000.0), &["Hotels", "Resorts"]),
    industry(
        "Consumer Services",
        "Other Consumer Services",
        "LEAR",
        (2.0, 15_000.0),
        &["Learning", "Consumer Services"],
    ),
    industry("Consumer Services", "Retailing", "MART", (4.0, 260_000.0), &["Retail", "Stores"]),
    industry("Diversified", "Diversified", "DIV", (1.0, 80_000.0), &["Industries", "Group Holdings"]),
    industry(
        FMCG,
        "Agricultural Food & other Products",
        "FARM",
        (6.0, 90_000.0),
        &["Agro Foods", "Sugars", "Tea Estates"],
    ),
    industry(FMCG, "Beverages", "BREW", (2.0, 120_000.0), &["Beverages", "Distilleries"]),
    industry(FMCG, "Cigarettes & Tobacco Products", "LEAF", (1.0, 150_000.0), &["Leaf Products"]),
    industry(FMCG, "Food Products", "FOOD", (4.0, 220_000.0), &["Foods", "Dairy"]),
    industry(FMCG, "Personal Products", "CARE", (2.0, 110_000.0), &["Personal Care", "Wellness"]),
    industry(FMCG, "Diversified FMCG", "CONS", (1.0, 550_000.0), &["Consumer Products"]),
    industry(FIN, "Finance", "FIN", (14.0, 550_000.0), &["Finance", "Housing Finance", "Microcredit"]),
    industry(FIN, "Banks", "BANK", (4.0, 1_400_000.0), &["Bank"]),
    industry(FIN, "Capital Markets", "CAP", (5.0, 180_000.0), &["Capital", "Broking", "Asset Managers"]),
    industry(FIN, "Insurance", "INSU", (2.0, 500_000.0), &["Life Assurance", "General Insurance"]),
    industry(FIN, "Financial Technology (Fintech)", "PAY", (1.0, 80_000.0), &["Payments", "Fintech"]),
    industry(
        "Forest Materials",
        "Paper, Forest & Jute Products",
        "PAPR",
        (3.0, 9_000.0),
        &["Papers", "Jute Mills"],
    ),
    industry(
        HEALTH,
        "Pharmaceuticals & Biotechnology",
        "PHAR",
        (10.0, 380_000.0),
        &["Pharma", "Laboratories", "Biotech"],
    ),
    industry(HEALTH, "Healthcare Equipment & Supplies", "MEDI", (1.5, 25_000.0), &["Medical Devices"]),
    industry(HEALTH, "Healthcare Services", "HOSP", (3.0, 100_000.0), &["Hospitals", "Diagnostics"]),
    industry(IT, "IT - Software", "SOFT", (7.0, 1_200_000.0), &["Software", "Infosystems"]),
    industry(IT, "IT - Services", "TECH", (4.0, 150_000.0), &["Technologies", "Digital Services"]),
    industry(MEDIA, "Media", "TV", (2.0, 20_000.0), &["Broadcasting", "Media Networks"]),
    industry(MEDIA, "Entertainment", "FILM", (3.0, 25_000.0), &["Films", "Studios"]),
    industry(METAL, "Ferrous Metals", "STEE", (8.0, 240_000.0), &["Steel", "Ispat"]),
    industry(METAL, "Non-Ferrous Metals", "ALUM", (2.0, 150_000.0), &["Aluminium", "Copper"]),
    industry(METAL, "Minerals & Mining", "MINE", (2.0, 80_000.0), &["Minerals", "Mining"]),
    industry(OIL, "Gas", "GAS", (2.0, 120_000.0), &["Gas Distribution"]),
    industry(OIL, "Oil", "OIL", (1.0, 300_000.0), &["Oil Exploration"]),
    industry(OIL, "Petroleum Products", "PETR", (2.0, 1_700_000.0), &["Petroleum", "Lubricants"]),
    industry(OIL, "Consumable Fuels", "COAL", (1.0, 240_000.0), &["Coal", "Lignite"]),
    industry("Power", "Power", "POWR", (4.0, 320_000.0), &["Power", "Renewables", "Transmission"]),
    industry("Realty", "Realty", "REAL", (5.0, 200_000.0), &["Realty", "Estates", "Developers"]),
    industry(
        "Services",
        "Transport Services",
        "LOGI",
        (4.0, 180_000.0),
        &["Logistics", "Shipping", "Airways"],
    ),
    industry("Services", "Transport Infrastructure", "PORT", (1.5, 280_000.0), &["Ports", "Airports"]),
    industry(
        "Services",
        "Commercial Services & Supplies",
        "SERV",
        (6.0, 30_000.0),
        &["Trading", "Business Services"],
    ),
    industry("Telecommunication", "Telecom - Services", "TELE", (2.0, 1_000_000.0), &["Telecom", "Towers"]),
    industry(
        "Telecommunication",
        "Telecom - Equipment & Accessories",
        "NETW",
        (2.0, 15_000.0),
        &["Networks", "Optics"],
    ),
    industry(
        "Textiles",
        "Textiles & Apparels",
        "TEX",
        (11.0, 40_000.0),
        &["Textiles", "Spinning Mills", "Garments"],
    ),
    industry("Utilities", "Other Utilities", "WATR", (1.0, 12_000.0), &["Water", "Waste Management"]),
];
