//! Why a row is refused: the reasons of the program. Staged tables have reasons of their own, in the words of their SELECT.
//!
//! Not why a file is left unread; that is in the report by the file's name. The words are what users see and search for.

use std::borrow::Cow;

/// Why a row is refused, in words, and the column that is to blame, where one is.
pub(crate) type Refusal = (Cow<'static, str>, Option<String>);

/// Why a row of a raw file did not become part of the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// More or fewer fields than the header names, as in a truncated file.
    WrongFieldCount,
    /// The header line, once more.
    RepeatedHeader,
    /// No symbol.
    NoSymbol,
    /// A figure that is missing or no number.
    BadNumber,
    /// A date that is missing or none.
    BadDate,
    /// A price that is zero, negative or not finite.
    NonPositivePrice,
    /// High below low, or open or close outside both.
    InconsistentPrices,
    /// Dated after the date of the snapshot.
    AfterAsOf,
    /// Dated after the last session, so not in force yet.
    AfterLastSession,
    /// A bar of another length than a day.
    NotDaily,
    /// A row of a security in a file that is read for its indices.
    NotAnIndex,
    /// A row that says that there is nothing to say.
    NoRecords,
    /// A disclosure without a number of shares and without a value.
    NoAmount,
    /// A line that is none of the statements', or not of the one that the row says.
    UnknownLine,
    /// A unit that is not known, or none of the line's.
    UnknownUnit,
    /// A period that is neither a quarter nor a year.
    UnknownPeriod,
    /// A basis that is neither the group's nor the company's.
    UnknownBasis,
    /// A company that no list gives a symbol.
    UnknownCompany,
    /// An old symbol that is the new one.
    SameSymbol,
    /// A series other than EQ, BE and BZ.
    NotCommonSeries,
    /// Another series of the same symbol and day comes first.
    SeriesSuperseded,
    /// On a list of exchange-traded funds.
    Etf,
    /// In no list, and named as a fund.
    NamedAsEtf,
    /// An ISIN that does not start with INE.
    IsinNotIne,
    /// A rights entitlement.
    RightsEntitlement,
    /// A row of BSE in a set of NSE.
    BseRow,
    /// An instrument other than a share.
    NotAShare,
    /// Listed as a fund, unit, warrant, right, preferred or note.
    NotCommonStock,
    /// On a date that is no session.
    NotASession,
    /// A corporate action without a usable factor.
    BadFactor,
    /// A filing without its form.
    NoForm,
    /// A filing without its filer.
    NoFiler,
    /// A filing without its accession number.
    NoAccession,
    /// A filing of a filer that has no symbol.
    FilerWithoutSymbol,
    /// A security without its CUSIP.
    NoCusip,
    /// A cell that is empty where its table has a value in every row.
    NoValue,
    /// A cell that is neither true nor false.
    BadFlag,
    /// A position whose value only repeats its shares, at another price than the market's.
    ValueIsShares,
    /// A cell that is no list of texts.
    BadList,
    /// A value other than those that its table allows.
    NotAllowed,
    /// A line that is no JSON object.
    NotAnObject,
    /// The file could not be read from here on.
    Unreadable,
}

impl Reason {
    /// Why a bar that was parsed is not used, as far as its row tells.
    pub(crate) const UNUSED_BARS: [Self; 6] = [
        Self::AfterAsOf,
        Self::RightsEntitlement,
        Self::Etf,
        Self::IsinNotIne,
        Self::NamedAsEtf,
        Self::NotCommonStock,
    ];

    /// The reason in words, for the report and the list of refused rows.
    pub const fn label(self) -> &'static str {
        match self {
            Self::WrongFieldCount => "wrong number of fields",
            Self::RepeatedHeader => "header line repeated",
            Self::NoSymbol => "no symbol",
            Self::BadNumber => "bad number",
            Self::BadDate => "bad date",
            Self::NonPositivePrice => "price not positive",
            Self::InconsistentPrices => "prices contradict each other",
            Self::AfterAsOf => "after the as-of date",
            Self::AfterLastSession => "after the last session",
            Self::NotDaily => "bar is not one of a day",
            Self::NotAnIndex => "not an index",
            Self::NoRecords => "says that there are no records",
            Self::NoAmount => "neither number nor value",
            Self::UnknownLine => "not a line of the statement",
            Self::UnknownUnit => "unknown unit, or not one of the line",
            Self::UnknownPeriod => "period is neither a quarter nor a year",
            Self::UnknownBasis => "basis is neither consolidated nor standalone",
            Self::UnknownCompany => "no list gives the company a symbol",
            Self::SameSymbol => "old and new symbol are the same",
            Self::NotCommonSeries => "series is not common stock",
            Self::SeriesSuperseded => "another series of that day comes first",
            Self::Etf => "exchange-traded fund",
            Self::NamedAsEtf => "unlisted and named as a fund",
            Self::IsinNotIne => "ISIN does not start with INE",
            Self::RightsEntitlement => "rights entitlement",
            Self::BseRow => "row of BSE",
            Self::NotAShare => "instrument is not a share",
            Self::NotCommonStock => "listed as other than common stock",
            Self::NotASession => "date is not a session",
            Self::BadFactor => "factor is not positive",
            Self::NoForm => "no form",
            Self::NoFiler => "no filer",
            Self::NoAccession => "no accession number",
            Self::FilerWithoutSymbol => "filer has no symbol",
            Self::NoCusip => "no CUSIP",
            Self::NoValue => "no value",
            Self::BadFlag => "neither true nor false",
            Self::BadList => "no list of texts",
            Self::NotAllowed => "value that is not allowed",
            Self::NotAnObject => "no JSON object",
            Self::Unreadable => "file unreadable from here on",
            Self::ValueIsShares => "value repeats the number of shares",
        }
    }
}
