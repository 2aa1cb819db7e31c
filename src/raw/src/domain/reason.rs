//! Reasons for which the program refuses a row. The SELECTs of staged tables and records have their reasons in words.
//!
//! Reasons for leaving a whole file unread are in the report with the file's name. Users see and search for these words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use parquote_catalogue::operation::read_toml;

/// Reason for refusing a row, in words, and the column to blame, if one is.
pub(crate) type Refusal = (Cow<'static, str>, Option<String>);

parquote_catalogue::word_enum! {
    /// Reason for which a row of a raw file did not become part of the market.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Reason {
        /// More or fewer fields than the header names, as in a truncated file.
        WrongFieldCount = "wrong number of fields",
        /// A quoted text that spans lines which look like rows.
        OpenQuote = "a text in quotes goes on over the next row",
        /// A repetition of the header line.
        RepeatedHeader = "header line repeated",
        /// No symbol.
        NoSymbol = "no symbol",
        /// A figure that is missing or no number.
        BadNumber = "bad number",
        /// A date that is missing or invalid.
        BadDate = "bad date",
        /// A date whose day and month may be either way round, in the whole file.
        AmbiguousDate = "date may have its day or its month first",
        /// The date of the file's name, with day and month swapped.
        SwappedDate = "day and month are swapped, by the name of the file",
        /// Several different rows of one day in a file named after a symbol.
        SeveralSymbols = "several rows of one day, and no column of symbols",
        /// A price that is zero, negative or not finite.
        NonPositivePrice = "price not positive",
        /// High below low, or open or close outside both.
        InconsistentPrices = "prices contradict each other",
        /// Dated after the date of the snapshot.
        AfterAsOf = "after the as-of date",
        /// An event of a day that has not come yet.
        StillToCome = "dated after today",
        /// Dated after the last session, so not in force yet.
        AfterLastSession = "after the last session",
        /// A bar of another length than a day.
        NotDaily = "bar is not one of a day",
        /// A line item that is unknown, or not one of the row's statement.
        UnknownLine = "not a line of the statement",
        /// A unit that is unknown, or does not suit the line.
        UnknownUnit = "unknown unit, or not one of the line",
        /// A period that is neither a quarter nor a year.
        UnknownPeriod = "period is neither a quarter nor a year",
        /// A basis that is neither the group's nor the company's.
        UnknownBasis = "basis is neither consolidated nor standalone",
        /// A company without a symbol in any list.
        UnknownCompany = "no list gives the company a symbol",
        /// A series other than EQ, BE and BZ.
        NotCommonSeries = "series is not common stock",
        /// Superseded by another series of the same symbol and day.
        SeriesSuperseded = "another series of that day comes first",
        /// On a list of exchange-traded funds.
        Etf = "exchange-traded fund",
        /// In no list, and named like a fund.
        NamedAsEtf = "unlisted and named as a fund",
        /// An ISIN that does not start with INE.
        IsinNotIne = "ISIN does not start with INE",
        /// A rights entitlement.
        RightsEntitlement = "rights entitlement",
        /// A row of BSE in a set of NSE.
        BseRow = "row of BSE",
        /// An instrument other than a share.
        NotAShare = "instrument is not a share",
        /// Listed as a fund, unit, warrant, right, preferred or note.
        NotCommonStock = "listed as other than common stock",
        /// On a date that is no session.
        NotASession = "date is not a session",
        /// A filing without its filer.
        NoFiler = "no filer",
        /// A filing of a filer that has no symbol.
        FilerWithoutSymbol = "filer has no symbol",
        /// A position whose value only repeats its shares, at another price than the market's.
        ValueIsShares = "value repeats the number of shares",
        /// A holding of a fund whose list of members would lack too many symbols.
        IncompleteList = "too few members of the list have a symbol",
        /// An empty cell of a required column.
        NoValue = "no value",
        /// A cell that is neither true nor false.
        BadFlag = "neither true nor false",
        /// A cell that is no list of texts.
        BadList = "no list of texts",
        /// A value that its table does not allow.
        NotAllowed = "value that is not allowed",
        /// A line that is no JSON object.
        NotAnObject = "no JSON object",
        /// The file could not be read from here on.
        Unreadable = "file unreadable from here on",
    }
    const ALL "All reasons.";
    fn label "Returns the reason in words, for the report and the list of refused rows.";
}

impl Reason {
    /// Reasons for which a parsed bar is not used, each decided by the row alone.
    pub(crate) const UNUSED_BARS: [Self; 7] = [
        Self::AfterAsOf,
        Self::StillToCome,
        Self::RightsEntitlement,
        Self::Etf,
        Self::IsinNotIne,
        Self::NamedAsEtf,
        Self::NotCommonStock,
    ];
}

/// Returns the remedy of `remedies.toml` if all rows of a file are refused for the reason `label`; `None` if its rows are understood and
/// not used.
pub(crate) fn remedy(label: &str) -> Option<&'static str> {
    static REMEDIES: LazyLock<BTreeMap<String, String>> =
        LazyLock::new(|| read_toml(include_str!("remedies.toml")).unwrap_or_default());
    REMEDIES.get(label).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_have_the_labels_of_reasons() {
        // Reasons that a SELECT or a reader of documents states.
        let others = [
            "no date of filing",
            "the day of the holdings is after that of the filing",
            "not of the day in the name of the file",
            "the document cannot be placed",
            "the name of the list says its month, not its day",
            "unknown kind of document",
        ];
        let remedies: BTreeMap<String, String> = read_toml(include_str!("remedies.toml")).unwrap();
        let labels: Vec<&str> = Reason::ALL.iter().map(|reason| reason.label()).chain(others).collect();
        assert!(remedies.keys().all(|label| labels.contains(&label.as_str())));
        assert_eq!(remedy(others[0]), remedies.get(others[0]).map(String::as_str));
    }
}
