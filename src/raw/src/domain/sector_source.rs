//! Origin of a company's sector.

/// Origin of a company's sector; an earlier variant has precedence over a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectorSource {
    /// A user-written file, `symbol,sector`.
    OwnFile,
    /// The exchange's listing of the symbol.
    Listing,
    /// A list of index members with sectors, perhaps under another symbol of the same company.
    IndexList,
    /// The list of another exchange, matched by ISIN.
    OtherExchange,
    /// The sector that lists give the other companies of its industry.
    Industry,
    /// The list of an index that is named for a sector.
    SectorIndex,
    /// The industry under which the company files with the SEC.
    Sic,
    /// A word in the company's name.
    Name,
}

impl SectorSource {
    /// Returns the word for the source in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::OwnFile => "own_file",
            Self::Listing => "listing",
            Self::IndexList => "index_list",
            Self::OtherExchange => "other_exchange",
            Self::Industry => "industry",
            Self::SectorIndex => "sector_index",
            Self::Sic => "sic",
            Self::Name => "name",
        }
    }
}
