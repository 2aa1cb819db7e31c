//! Origin of a company's sector.

parquote_catalogue::word_enum! {
    /// Origin of a company's sector; an earlier variant has precedence over a later one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum SectorSource {
        /// A user-written file, `symbol,sector`.
        OwnFile = "own_file",
        /// The exchange's listing of the symbol.
        Listing = "listing",
        /// A list of index members with sectors, perhaps under another symbol of the same company.
        IndexList = "index_list",
        /// The list of another exchange, matched by ISIN.
        OtherExchange = "other_exchange",
        /// The sector that lists give the other companies of its industry.
        Industry = "industry",
        /// The list of an index that is named for a sector.
        SectorIndex = "sector_index",
        /// The industry under which the company files with the SEC.
        Sic = "sic",
        /// A word in the company's name.
        Name = "name",
    }
    fn word "Returns the word for the source in tables.";
}
