//! `queries/api/<route>.sql`: one operation.

use super::column::Column;
use super::condition::Condition;
use super::declared_picture::DeclaredPicture;
use super::fact_words::{Answer, Effect, ExplorerPage, ShortForm};
use super::market::Market;
use super::param::Param;
use super::tier::{Access, Tier};
use super::wrap::WrapField;

/// Name of the parameter by which a caller chooses the market.
pub(super) const MARKET: &str = "market";

/// One SELECT of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// Conditions on the arguments of a call, which must all hold.
    pub when: Vec<Condition>,
    /// Shape of its answer.
    pub answer: Answer,
    /// Fields around the rows.
    pub wrap: Vec<WrapField>,
    /// Columns of the SQL that are left out of the answer.
    pub omit: Vec<String>,
    /// Picture of its rows; `None` if there is none.
    pub picture: Option<DeclaredPicture>,
    /// The SQL, with `$placeholders`.
    pub sql: String,
    /// First line of the SQL in the file, from 1.
    pub line: usize,
}

impl Select {
    /// Returns true unless its conditions exclude calls for this market.
    pub fn serves(&self, market: Market) -> bool {
        let other = |condition: &Condition| matches!(condition, Condition::Is(param, word) if param == MARKET && word != market.word());
        !self.when.iter().any(other)
    }
}

/// An operation: a route, a tool, or both.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the header that is there or not")]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Operation {
    /// Path below `queries/`.
    pub file: String,
    /// Its unique name, such as `company/profile` or `us/market/breadth`; also its route, if it has one.
    pub name: String,
    /// True if `GET /v1/<name>` exists.
    pub has_route: bool,
    /// Market whose tables it reads.
    pub market: Market,
    /// Description in one sentence, without its full stop.
    pub title: String,
    /// Details; may be empty.
    pub prose: String,
    /// Name of its tool; `None` if it is not offered as a tool.
    pub tool: Option<String>,
    /// Required access.
    pub access: Access,
    /// Tag under which documents list it.
    pub group: String,
    /// Parameters, in file order.
    pub params: Vec<Param>,
    /// Parameters of the other operations in its file, which are null in its SELECTs.
    pub unset: Vec<Param>,
    /// Its SELECTs, of which a call uses the first whose conditions hold. Empty if a Rust function makes the answer without SQL.
    pub selects: Vec<Select>,
    /// Names of tables that its SQL reads and that may be missing.
    pub optional_tables: Vec<String>,
    /// True if a call with a free key may only name symbols of the key's list.
    pub free_symbols: bool,
    /// Number of requests that a call counts as.
    pub cost: u32,
    /// Effect of a call on saved data.
    pub effect: Effect,
    /// Name of the Rust function that makes the answer; `None` if the rows of a SELECT are the answer.
    pub run: Option<String>,
    /// True if that function returns rows in the requested format, although the operation has no SELECT.
    pub run_returns_rows: bool,
    /// True if that function returns an object that can also be written as a workbook, and each of its lists as CSV.
    pub has_workbook: bool,
    /// True if an app or a key needs the scope of its owner's account to call it.
    pub needs_account_scope: bool,
    /// Name of the parameter with the searched text, if it searches companies by name.
    pub search: Option<String>,
    /// Short form in which tools send its answer; `None` if they send the whole answer.
    pub short_form: Option<ShortForm>,
    /// Page of the explorer that shows its picture; `None` if there is no such page.
    pub page: Option<ExplorerPage>,
    /// Word for which `explore/coverage` counts the companies in the operation's sums and means; `None` if it has no such figures.
    pub coverage: Option<String>,
    /// Descriptions of columns that no table describes, or that have a narrower meaning here.
    pub columns: Vec<Column>,
    /// Rules on parameters that no JSON schema can express, each as a sentence.
    pub constraints: Vec<String>,
    /// Query strings of further examples, beside the one that the examples of the parameters make.
    pub examples: Vec<String>,
    /// Version that introduced it, if its file declares one.
    pub since: Option<String>,
    /// Text on its replacement if it is deprecated; `None` otherwise.
    pub deprecated: Option<String>,
}

impl Operation {
    /// Returns an operation with the values that hold for a file without facts.
    pub fn undeclared(file: &str, name: String) -> Self {
        let market = if name.starts_with("us/") { Market::Us } else { Market::India };
        Self { file: file.to_owned(), has_route: true, market, name, cost: 1, ..Self::default() }
    }

    /// Returns true if callers choose the market, by the parameter `market`.
    pub fn chooses_market(&self) -> bool {
        let words = self.param(MARKET).and_then(Param::allowed_words);
        words.is_some_and(|words| words.iter().eq(Market::ALL.map(Market::word).iter()))
    }

    /// Returns true if it reads the tables of this market.
    pub fn serves(&self, market: Market) -> bool {
        self.market == market || self.chooses_market()
    }

    /// Returns a parameter by its name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Returns the maximum number of rows in one answer for a caller of this tier; `None` if every answer has all rows.
    pub fn most_rows(&self, tier: Tier) -> Option<i64> {
        let limit = self.param("limit")?;
        limit.cap_for(tier).or_else(|| limit.maximum())
    }

    /// Returns the maximum number of rows in a downloaded file for a caller of this tier; `None` for all matching rows. The cap of a tier
    /// applies to files too, except the highest cap, which only keeps answers small.
    pub fn most_file_rows(&self, tier: Tier) -> Option<i64> {
        let limit = self.param("limit")?;
        let highest = Tier::ALL.iter().filter_map(|tier| limit.cap_for(*tier)).max();
        limit.cap_for(tier).filter(|cap| Some(*cap) != highest)
    }

    /// Returns the display name of a parameter's word, if a wrap field declares one.
    pub fn label(&self, param: &str, word: &str) -> Option<&str> {
        self.selects.iter().flat_map(|select| &select.wrap).find_map(|field| field.label(param, word))
    }

    /// Returns an example call as pairs of name and text: the required parameters, or with `whole` every parameter with an example.
    pub fn example_pairs(&self, whole: bool) -> Vec<(&str, String)> {
        let params = self.params.iter().filter(|param| whole || param.is_required());
        params.filter_map(|param| Some((param.name.as_str(), param.example.clone()?))).collect()
    }
}
