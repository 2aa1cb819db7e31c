//! Businesses that make or extract something: phrases on products, customers and field.
//!
//! They are general, without companies or figures. Each phrase fits its place in the templates.

use super::line_of_business::LineOfBusiness;

/// Vehicles and their parts.
pub(super) static AUTO: LineOfBusiness = LineOfBusiness {
    products: "vehicles, axles and drivetrain parts",
    customers: "carmakers, fleet owners and dealers",
    inputs: "steel and aluminium",
    driver: "a richer model mix and new export programmes",
    headwind: "slower showroom traffic",
    edge: "long supply contracts and tooling that a rival would need years to copy",
    field: "Vehicle demand moves with interest rates, while emission rules push the trade towards electric platforms",
    segments: ["passenger vehicles", "commercial vehicles", "the aftermarket"],
};

/// Machines, electrical and industrial goods.
pub(super) static MACHINES: LineOfBusiness = LineOfBusiness {
    products: "machines, switchgear and precision parts",
    customers: "factories, utilities and contractors",
    inputs: "copper, steel and castings",
    driver: "a revival of factory and grid spending",
    headwind: "slow decisions on large tenders",
    edge: "an installed base that brings in service and spare-part work",
    field: "Orders follow the investment cycle of industry, and buyers look at delivery times as much as at price",
    segments: ["industrial products", "power equipment", "services and spares"],
};

/// Aerospace and defence.
pub(super) static DEFENCE: LineOfBusiness = LineOfBusiness {
    products: "airframe parts, sensors and naval systems",
    customers: "armed forces and aircraft makers",
    inputs: "speciality alloys and electronics",
    driver: "multi-year procurement programmes",
    headwind: "milestones that slip into later quarters",
    edge: "certifications and clearances that few suppliers hold",
    field: "Budgets are set years ahead, so that order books are long and payments uneven",
    segments: ["airborne systems", "naval systems", "maintenance"],
};

/// Chemicals.
pub(super) static CHEMICALS: LineOfBusiness = LineOfBusiness {
    products: "intermediates, resins and speciality additives",
    customers: "paint, plastics and drug makers",
    inputs: "crude derivatives and natural gas",
    driver: "a shift of buyers towards second sources",
    headwind: "dumping by overseas producers",
    edge: "process know-how and long qualification cycles at customers",
    field: "Spreads swing with energy prices, and plants pay off only when they run full",
    segments: ["speciality chemicals", "intermediates", "polymers"],
};

/// Fertilisers, seeds and crop protection.
pub(super) static CROPS: LineOfBusiness = LineOfBusiness {
    products: "crop nutrition, seeds and crop protection",
    customers: "farmers and rural dealers",
    inputs: "ammonia, potash and natural gas",
    driver: "a good sowing season and better farm incomes",
    headwind: "uneven rain and high dealer stocks",
    edge: "a dense dealer network and trusted brands",
    field: "Volumes depend on weather and farm incomes, and policy decides much of the pricing",
    segments: ["crop nutrition", "crop protection", "seeds"],
};

/// Builders of roads, plants and homes.
pub(super) static CONSTRUCTION: LineOfBusiness = LineOfBusiness {
    products: "roads, bridges and turnkey projects",
    customers: "public agencies and developers",
    inputs: "cement, steel and diesel",
    driver: "a steady flow of awarded projects",
    headwind: "late site handovers",
    edge: "pre-qualification for large contracts and its own fleet of equipment",
    field: "Awards come in waves around budgets, and working capital decides who makes money",
    segments: ["transport projects", "buildings", "water projects"],
};

/// Building materials.
pub(super) static CEMENT: LineOfBusiness = LineOfBusiness {
    products: "cement, clinker and ready-mix concrete",
    customers: "builders, dealers and home owners",
    inputs: "fuel, power and freight",
    driver: "housing and public works in its home region",
    headwind: "price cuts by larger rivals",
    edge: "quarries close to its plants and low freight distance",
    field: "Regional supply decides prices, and fuel is the largest swing in cost",
    segments: ["trade cement", "bulk cement", "ready-mix concrete"],
};

/// Appliances, ceramics, jewellery, furniture.
pub(super) static DURABLES: LineOfBusiness = LineOfBusiness {
    products: "appliances, fittings and home goods",
    customers: "households and dealers",
    inputs: "metals, plastics and components",
    driver: "premium models and a wider dealer reach",
    headwind: "promotions by rivals",
    edge: "brand recall and a service network",
    field: "Demand is seasonal, and premium models grow faster than the rest",
    segments: ["appliances", "home fittings", "institutional sales"],
};

/// Food, drink and household staples.
pub(super) static FOODS: LineOfBusiness = LineOfBusiness {
    products: "packaged foods, drinks and household staples",
    customers: "grocers, small shops and households",
    inputs: "grain, edible oil and packaging",
    driver: "a recovery of rural volumes and new pack sizes",
    headwind: "local brands that undercut its prices",
    edge: "brands that shoppers ask for by name",
    field: "Volumes move slowly, so that mix and input costs drive profit",
    segments: ["packaged foods", "beverages", "exports"],
};

/// Medicines.
pub(super) static PHARMA: LineOfBusiness = LineOfBusiness {
    products: "formulations, active ingredients and biologics",
    customers: "hospitals, pharmacies and distributors",
    inputs: "active ingredients, trials and compliance",
    driver: "launches in regulated markets",
    headwind: "price erosion in older products",
    edge: "approved plants and a deep file of registrations",
    field: "Prices of older products erode, so that launches and clean inspections carry the industry",
    segments: ["branded medicines", "generic medicines", "active ingredients"],
};

/// Medical devices.
pub(super) static DEVICES: LineOfBusiness = LineOfBusiness {
    products: "surgical instruments, implants and monitors",
    customers: "hospitals and distributors",
    inputs: "components and regulatory work",
    driver: "procedure growth and new approvals",
    headwind: "longer purchasing cycles at hospitals",
    edge: "surgeons trained on its systems",
    field: "Hospitals standardise on few suppliers, and approvals keep others out",
    segments: ["instruments", "implants", "consumables"],
};

/// Semiconductors and electronics.
pub(super) static CHIPS: LineOfBusiness = LineOfBusiness {
    products: "chips, boards and devices",
    customers: "device makers and data centres",
    inputs: "wafers, substrates and components",
    driver: "data-centre demand and design wins",
    headwind: "stock corrections at customers",
    edge: "designs that stay in a product for years",
    field: "The cycle swings between shortage and glut, with content per device rising throughout",
    segments: ["data-centre chips", "industrial chips", "consumer chips"],
};

/// Metals.
pub(super) static METALS: LineOfBusiness = LineOfBusiness {
    products: "steel, aluminium and copper products",
    customers: "builders, carmakers and cable makers",
    inputs: "ore, coal and power",
    driver: "value-added grades and better utilisation",
    headwind: "softer benchmark prices",
    edge: "captive raw materials",
    field: "Prices are set abroad, so that cost position decides who earns through the cycle",
    segments: ["flat products", "long products", "value-added products"],
};

/// Mines.
pub(super) static MINING: LineOfBusiness = LineOfBusiness {
    products: "ore, precious metals and minerals",
    customers: "smelters, refiners and traders",
    inputs: "diesel, explosives and labour",
    driver: "higher grades and a new pit",
    headwind: "lower realised prices",
    edge: "long-life deposits with low strip ratios",
    field: "Permits take years, and deposits with good grades are few",
    segments: ["ore", "concentrates", "royalties"],
};

/// Oil and gas.
pub(super) static OIL: LineOfBusiness = LineOfBusiness {
    products: "crude oil, natural gas and fuels",
    customers: "refiners, utilities and motorists",
    inputs: "wells, rigs and feedstock",
    driver: "higher output from new wells",
    headwind: "weaker realised prices and narrower spreads",
    edge: "low-cost reserves and pipelines of its own",
    field: "Prices are volatile, and capital discipline has taken the place of growth at any cost",
    segments: ["exploration and production", "gas", "marketing"],
};

/// Textiles and apparel.
pub(super) static TEXTILES: LineOfBusiness = LineOfBusiness {
    products: "yarn, fabric and garments",
    customers: "global brands and wholesalers",
    inputs: "cotton, power and wages",
    driver: "orders that move from other sourcing countries",
    headwind: "cautious ordering by brands",
    edge: "integrated mills and compliant factories",
    field: "Brands spread their sourcing, while cotton prices move margins",
    segments: ["yarn", "fabric", "garments"],
};

/// Paper, wood and jute.
pub(super) static PAPER: LineOfBusiness = LineOfBusiness {
    products: "paper, board and forest products",
    customers: "printers, packers and converters",
    inputs: "pulp wood, chemicals and energy",
    driver: "packaging demand and better realisations",
    headwind: "cheap imports",
    edge: "plantations close to its mills",
    field: "Packaging grades grow while writing paper shrinks",
    segments: ["packaging board", "writing paper", "speciality grades"],
};

/// Several trades at once.
pub(super) static DIVERSIFIED: LineOfBusiness = LineOfBusiness {
    products: "industrial, consumer and infrastructure products",
    customers: "companies and households",
    inputs: "metals, energy and staff",
    driver: "a better mix across its divisions",
    headwind: "losses in a younger division",
    edge: "shared finance and distribution across its divisions",
    field: "Divisions have cycles of their own, which smooths the whole and hides the parts",
    segments: ["industrial division", "consumer division", "infrastructure division"],
};
