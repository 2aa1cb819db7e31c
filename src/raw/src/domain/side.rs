//! The side of a trade.

parquote_catalogue::word_enum! {
    /// The side of a trade.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Side {
        /// Bought.
        Buy = "buy",
        /// Sold.
        Sell = "sell",
        /// Neither, such as a grant or a gift.
        Other = "other",
    }
    fn word "Returns the word for the side.";
}
