//! Completion of arguments that a user types into a prompt or a resource: symbols, sectors, quarters, markets, tools, tables.

use chrono::Datelike as _;
use rmcp::model::{CompleteRequestParams, CompletionInfo, ErrorData};

use super::handler::McpHandler;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Number of quarters offered, the newest first.
const MOST_QUARTERS: usize = 12;
/// Longest typed text that is completed, in bytes.
const LONGEST_COMPLETED: usize = 200;

impl McpHandler {
    /// Returns the values that complete the typed text. They depend on the name of the argument, which means the same in every prompt and
    /// resource; an argument of another name has no values.
    pub(super) fn completion(
        &self,
        request: &CompleteRequestParams,
        snapshot: &Snapshot,
    ) -> Result<CompletionInfo, ErrorData> {
        let typed = request.argument.value.as_str();
        // No value begins with a longer text.
        if typed.len() > LONGEST_COMPLETED {
            return Ok(CompletionInfo::default());
        }
        let market = request.context.as_ref().and_then(|context| context.get_argument("market"));
        let market = market.and_then(|word| word.parse().ok());
        let (values, total) = self.values(snapshot, &request.argument.name, market, typed);
        let more = values.len() < total;
        CompletionInfo::with_pagination(values, Some(total as u32), more)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    fn values(
        &self,
        snapshot: &Snapshot,
        argument: &str,
        market: Option<Market>,
        typed: &str,
    ) -> (Vec<String>, usize) {
        let table = match argument {
            "symbol" => "companies",
            "sector" => "sectors",
            "quarter" => {
                return values_with_prefix(quarters(snapshot, market.unwrap_or(Market::India)), typed);
            }
            "market" => return values_with_prefix(Market::ALL.map(|market| market.word().to_owned()), typed),
            "tool" => return values_with_prefix(self.tools.names().map(str::to_owned), typed),
            "table" => {
                let tables = self.service.catalogue().tables().iter();
                let in_market = tables.filter(|table| market.is_none_or(|market| table.is_in(market)));
                return values_with_prefix(in_market.map(|table| table.name.clone()), typed);
            }
            _ => return (Vec::new(), 0),
        };
        let markets = Market::ALL.into_iter().filter(|one| market.is_none_or(|market| market == *one));
        let (mut values, mut total) = (Vec::new(), 0);
        for market in markets {
            let most = CompletionInfo::MAX_VALUES - values.len();
            let (found, count) = snapshot.values_with_prefix(market, table, typed, most);
            values.extend(found);
            total += count;
        }
        (values, total)
    }
}

/// Returns the quarters up to the market's date, named by the month in which they end.
fn quarters(snapshot: &Snapshot, market: Market) -> Vec<String> {
    const ENDS: [&str; 4] = ["Mar", "Jun", "Sep", "Dec"];
    let Some(date) = snapshot.as_of(market) else { return Vec::new() };
    let newest = date.year() * 4 + (date.month0() / 3) as i32 - 1;
    let label = |quarter: i32| {
        let end = ENDS.get(quarter.rem_euclid(4) as usize).copied().unwrap_or_default();
        format!("{end} {}", quarter.div_euclid(4))
    };
    (0..MOST_QUARTERS as i32).map(|ago| label(newest - ago)).collect()
}

/// Returns the values that begin with the typed text, ignoring case, and the number of these values.
fn values_with_prefix(values: impl IntoIterator<Item = String>, typed: &str) -> (Vec<String>, usize) {
    let typed = typed.to_lowercase();
    let begins = |value: &String| value.to_lowercase().starts_with(&typed);
    let found: Vec<String> = values.into_iter().filter(begins).take(CompletionInfo::MAX_VALUES).collect();
    let total = found.len();
    (found, total)
}
