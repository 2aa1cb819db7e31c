//! Businesses that serve, lend, build or carry; the other half of [`super::goods_businesses`].
//!
//! They are general, without companies or figures.

use super::line_of_business::LineOfBusiness;

/// Hotels, restaurants, parks.
pub(super) static LEISURE: LineOfBusiness = LineOfBusiness {
    products: "rooms, dining and leisure venues",
    customers: "leisure and business travellers",
    inputs: "staff, food and energy",
    driver: "higher occupancy and firm room rates",
    headwind: "new rooms opened by competitors",
    edge: "well-placed sites that cannot be built again",
    field: "Rates rise quickly when rooms are short and fall quickly when they are not",
    segments: ["rooms", "food and beverages", "events"],
};

/// Learning and other services for consumers.
pub(super) static LEARNING: LineOfBusiness = LineOfBusiness {
    products: "courses, memberships and household services",
    customers: "families and working adults",
    inputs: "staff, content and marketing",
    driver: "new centres and better retention",
    headwind: "weaker enrolments",
    edge: "a known name and content that is used again every year",
    field: "Growth comes from retention, since winning a new customer is costly",
    segments: ["centres", "online services", "institutional contracts"],
};

/// Stores.
pub(super) static RETAIL: LineOfBusiness = LineOfBusiness {
    products: "apparel, groceries and home goods",
    customers: "households",
    inputs: "merchandise, rents and staff",
    driver: "new stores and fuller baskets",
    headwind: "markdowns on slow stock",
    edge: "store locations and buying scale",
    field: "Formats compete on price and convenience, and stock turns make the difference",
    segments: ["large stores", "small formats", "online sales"],
};

/// Banks.
pub(super) static BANK: LineOfBusiness = LineOfBusiness {
    products: "deposits, loans and payment services",
    customers: "households and small firms",
    inputs: "deposits and wholesale funds",
    driver: "loan growth in retail and small business",
    headwind: "dearer deposits and slippages in unsecured loans",
    edge: "a low-cost deposit base",
    field: "Loan growth is steady, while the price of deposits and the quality of unsecured loans divide the strong from the weak",
    segments: ["retail loans", "business loans", "fee services"],
};

/// Lenders without deposits.
pub(super) static LENDER: LineOfBusiness = LineOfBusiness {
    products: "home, vehicle and small-business loans",
    customers: "borrowers whom banks serve late",
    inputs: "bank lines and bonds",
    driver: "branches opened in new districts",
    headwind: "higher funding costs and late payers",
    edge: "underwriting close to the customer",
    field: "Funding costs and collections decide returns more than growth does",
    segments: ["secured loans", "business loans", "co-lending"],
};

/// Brokers, asset managers, exchanges.
pub(super) static MARKETS: LineOfBusiness = LineOfBusiness {
    products: "broking, fund management and advisory services",
    customers: "savers, funds and companies",
    inputs: "staff, technology and distribution",
    driver: "new investors and steady inflows",
    headwind: "thinner trading volumes",
    edge: "a trusted platform with low cost to serve",
    field: "Activity follows the mood of markets, and fees drift lower year after year",
    segments: ["asset management", "broking", "advisory"],
};

/// Insurers.
pub(super) static INSURANCE: LineOfBusiness = LineOfBusiness {
    products: "life, health and general cover",
    customers: "households and companies",
    inputs: "claims, commissions and reinsurance",
    driver: "a better mix of protection policies",
    headwind: "claims after a heavy season",
    edge: "reach through partners and disciplined underwriting",
    field: "Growth is structural, while claims and rules on commissions make quarters uneven",
    segments: ["protection policies", "savings policies", "group cover"],
};

/// Hospitals, clinics, diagnostics.
pub(super) static CARE: LineOfBusiness = LineOfBusiness {
    products: "hospital beds, clinics and diagnostics",
    customers: "patients and insurers",
    inputs: "doctors, consumables and equipment",
    driver: "higher occupancy in newer units",
    headwind: "slow ramp-up of new beds",
    edge: "clinicians of repute and a catchment of its own",
    field: "Beds are scarce, and payer mix decides what an occupied bed earns",
    segments: ["hospitals", "clinics", "diagnostics"],
};

/// Software and IT services.
pub(super) static SOFTWARE: LineOfBusiness = LineOfBusiness {
    products: "software, cloud and engineering services",
    customers: "banks, retailers and manufacturers",
    inputs: "engineers and cloud capacity",
    driver: "cost take-out deals and cloud migration",
    headwind: "delayed decisions on discretionary projects",
    edge: "long client relationships and domain knowledge",
    field: "Clients consolidate vendors, and deals are larger but slower to start",
    segments: ["digital services", "enterprise software", "managed services"],
};

/// Media and entertainment.
pub(super) static MEDIA: LineOfBusiness = LineOfBusiness {
    products: "channels, films and digital content",
    customers: "advertisers and subscribers",
    inputs: "content, talent and distribution",
    driver: "advertising recovery and digital subscriptions",
    headwind: "lower advertising by consumer brands",
    edge: "a library that keeps earning",
    field: "Audiences move to digital screens, and advertising follows with delay",
    segments: ["advertising", "subscriptions", "content sales"],
};

/// Power.
pub(super) static POWER: LineOfBusiness = LineOfBusiness {
    products: "power stations, lines and renewable parks",
    customers: "distribution utilities and industry",
    inputs: "fuel, interest and equipment",
    driver: "new capacity under long contracts",
    headwind: "late payments by distributors",
    edge: "contracted cash flows over decades",
    field: "Demand for power rises with cooling and data centres, while tariffs are set by regulators",
    segments: ["thermal power", "renewable power", "transmission"],
};

/// Gas, water and waste.
pub(super) static UTILITY: LineOfBusiness = LineOfBusiness {
    products: "gas, water and waste services",
    customers: "households, industry and cities",
    inputs: "gas supply, pipes and energy",
    driver: "new connections and volume growth",
    headwind: "a tariff review",
    edge: "licences for its cities",
    field: "Licences give steady returns, and regulators watch each of them",
    segments: ["service to households", "supply to industry", "municipal contracts"],
};

/// Real estate.
pub(super) static REALTY: LineOfBusiness = LineOfBusiness {
    products: "homes, offices and rental space",
    customers: "home buyers and tenants",
    inputs: "land, construction and interest",
    driver: "new launches and firm rents",
    headwind: "approvals that come late",
    edge: "land bought early in places where others cannot build",
    field: "Buyers favour known developers, and interest rates set the pace",
    segments: ["homes", "offices", "retail space"],
};

/// Transport and its infrastructure.
pub(super) static LOGISTICS: LineOfBusiness = LineOfBusiness {
    products: "freight, warehousing and port services",
    customers: "importers, exporters and retailers",
    inputs: "fuel, staff and charter rates",
    driver: "new corridors and contract logistics",
    headwind: "lower freight rates",
    edge: "a network that is costly to build",
    field: "Freight follows trade, and scale decides unit cost",
    segments: ["freight", "warehousing", "terminals"],
};

/// Services to companies.
pub(super) static SERVICES: LineOfBusiness = LineOfBusiness {
    products: "outsourcing, staffing and trading services",
    customers: "companies and public bodies",
    inputs: "staff and technology",
    driver: "outsourcing of routine work",
    headwind: "contract renewals at lower prices",
    edge: "long contracts and low client churn",
    field: "Clients outsource more and pay less for each task, so that productivity decides",
    segments: ["business services", "facility services", "trading"],
};

/// Telecommunications.
pub(super) static TELECOM: LineOfBusiness = LineOfBusiness {
    products: "mobile, broadband and network equipment",
    customers: "subscribers, carriers and companies",
    inputs: "spectrum, towers and equipment",
    driver: "higher revenue a user and fibre roll-out",
    headwind: "slower spending by carriers",
    edge: "spectrum and a dense network",
    field: "Few networks are left, and prices rise slowly while data use rises fast",
    segments: ["mobile services", "broadband", "enterprise networks"],
};
