//! Where the sector of a company is from.

/// Where the sector of a company is from; the earlier stands before the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectorSource {
    /// A file of the user's own, `symbol,sector`.
    OwnFile,
    /// The exchange's listing of the symbol.
    Listing,
    /// A list of index members that says it, perhaps under another symbol of the same company.
    IndexList,
    /// The list of another exchange, which knows the company by its ISIN.
    OtherExchange,
    /// The other companies of its industry are of this one, as lists say.
    Industry,
    /// The symbol is on the list of an index that is named for a sector.
    SectorIndex,
    /// The industry under which the company files with the SEC.
    Sic,
    /// A word in the company's name.
    Name,
}

impl SectorSource {
    /// The word for the source in tables.
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
