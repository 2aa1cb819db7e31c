//! The kinds of corporate actions; [`crate::purposes`] maps words to them.

parquote_catalogue::word_enum! {
    /// Kind of a corporate action.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub(crate) enum EventKind {
        /// A split of the face value, or a reverse split.
        Split = "split",
        /// Bonus shares.
        Bonus = "bonus",
        /// An offer of new shares to shareholders.
        Rights = "rights",
        /// A buyback of shares by the company.
        Buyback = "buyback",
        /// Mergers, demergers and schemes of arrangement.
        Merger = "merger",
        /// Anything else: dividends, meetings, interest.
        #[default]
        Other = "other",
    }
    fn word "Returns the word for the kind.";
}
