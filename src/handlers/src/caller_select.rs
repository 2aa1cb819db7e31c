//! The operation `query`: a SELECT written by the caller, within the limits of the caller's tier, over the tables that the tier's
//! operations read.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::Value as Json;

use super::handler::{Handler, HandlerCall};
use super::user_select_limits::limits;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Access, AnswerFormat, Catalogue, Market, Tier};
use parquote_engine::caller_select::{BoundValue, MOST_VALUES, UserSelect};
use parquote_engine::{EncodedAnswer, tables_read};
use parquote_select_process::SelectProcesses;

/// The operation `query`.
#[derive(Default)]
pub(super) struct UserSelectOperation {
    tiers: OnceLock<TableTiers>,
}

/// The lowest tier whose operations read each table. A table that no operation reads needs the highest tier.
#[derive(Debug, Default)]
struct TableTiers(BTreeMap<(Market, String), Tier>);

#[async_trait]
impl Handler for UserSelectOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        Ok(self.encoded(call).await?.body)
    }

    async fn encoded(&self, call: &HandlerCall<'_>) -> Result<EncodedAnswer, ClientError> {
        let values = parse_values(call.text("params").unwrap_or_default())?;
        let (tier, tiers) = (call.owner.tier, self.tiers(call));
        let may_read = |market, table: &str| tiers.check(market, table, tier);
        let select = UserSelect { values: &values, ..select_of_call(call, &may_read) };
        let (limits, owner) = (limits(tier).0, &call.owner.name);
        select_processes(call)?.rows(call.snapshot, &select, &limits, call.deadline, owner, call.spent).await
    }

    fn is_charged_by_work(&self) -> bool {
        true
    }
}

impl UserSelectOperation {
    /// Runs a SELECT that another operation has as a parameter, within the limits of the caller's tier. Returns the rows as JSON.
    pub(super) async fn json_rows(
        &self,
        call: &HandlerCall<'_>,
        sql: &str,
    ) -> Result<EncodedAnswer, ClientError> {
        let (tier, tiers) = (call.owner.tier, self.tiers(call));
        let may_read = |market, table: &str| tiers.check(market, table, tier);
        let (limits, most_rows) = limits(tier);
        let (market, format) = (call.market, AnswerFormat::Json);
        let select =
            UserSelect { sql, values: &[], market, offset: 0, limit: most_rows, format, may_read: &may_read };
        let owner = &call.owner.name;
        select_processes(call)?.rows(call.snapshot, &select, &limits, call.deadline, owner, call.spent).await
    }

    fn tiers(&self, call: &HandlerCall<'_>) -> &TableTiers {
        self.tiers.get_or_init(|| TableTiers::from_catalogue(call.snapshot.engine().catalogue()))
    }
}

fn select_processes<'a>(call: &HandlerCall<'a>) -> Result<&'a SelectProcesses, ClientError> {
    let none = || ClientError::new(ErrorKind::Unavailable, "no SELECT can be run here; ask a server");
    call.selects.ok_or_else(none)
}

/// Builds the SELECT of a call without its bound values.
fn select_of_call<'a>(
    call: &'a HandlerCall<'_>,
    may_read: &'a (dyn Fn(Market, &str) -> Result<(), String> + Send + Sync),
) -> UserSelect<'a> {
    let most_rows = limits(call.owner.tier).1;
    let limit = call.int("limit").and_then(|limit| usize::try_from(limit).ok());
    UserSelect {
        sql: call.text("sql").unwrap_or_default(),
        values: &[],
        market: call.market,
        offset: call.presentation.offset(),
        limit: limit.unwrap_or(most_rows).min(most_rows),
        format: call.presentation.format(),
        may_read,
    }
}

impl TableTiers {
    /// Computes the lowest tiers for the operations of a catalogue.
    fn from_catalogue(catalogue: &Catalogue) -> Self {
        let mut lowest = BTreeMap::new();
        for market in Market::ALL {
            // Every SQL file was parsed at the start, so this cannot fail. If it did, all tables would need the highest tier.
            for (operation, tables) in tables_read(catalogue, market).unwrap_or_default() {
                let Access::From(tier) = operation.access else { continue };
                for table in tables {
                    let known = lowest.entry((market, table)).or_insert(tier);
                    if known.reaches(tier) {
                        *known = tier;
                    }
                }
            }
        }
        Self(lowest)
    }

    fn check(&self, market: Market, table: &str, tier: Tier) -> Result<(), String> {
        let needed = self.0.get(&(market, table.to_owned())).copied().unwrap_or(Tier::ApiMax);
        if tier.reaches(needed) {
            return Ok(());
        }
        Err(format!("the table `{market}.{table}` needs the tier {needed} or higher; this key has {tier}"))
    }
}

/// Parses the values of a call: a JSON array, or texts separated by commas.
fn parse_values(text: &str) -> Result<Vec<BoundValue>, ClientError> {
    let refuse = |message: String| ClientError::new(ErrorKind::BadRequest, format!("`params`: {message}"));
    let values: Vec<BoundValue> = if text.starts_with('[') {
        let parsed: Vec<Json> = serde_json::from_str(text).map_err(|error| {
            refuse(format!("it is not a JSON array of values such as [\"TCS\", 100]: {error}"))
        })?;
        parsed
            .into_iter()
            .enumerate()
            .map(|(at, value)| parse_bound_value(at, value).map_err(refuse))
            .collect::<Result<_, _>>()?
    } else {
        let texts = text.split(',').map(str::trim).filter(|_| !text.is_empty());
        texts.map(|text| BoundValue::Text(text.to_owned())).collect()
    };
    if values.len() > MOST_VALUES {
        return Err(refuse(format!("{} values; at most {MOST_VALUES} are allowed", values.len())));
    }
    Ok(values)
}

fn parse_bound_value(at: usize, value: Json) -> Result<BoundValue, String> {
    Ok(match value {
        Json::Null => BoundValue::Null,
        Json::Bool(flag) => BoundValue::Flag(flag),
        Json::String(text) => BoundValue::Text(text),
        Json::Number(number) if number.is_u64() && number.as_i64().is_none() => {
            return Err(format!("value {} is beyond 2^63 - 1; write it as {number}.0", at + 1));
        }
        Json::Number(number) => match number.as_i64() {
            Some(whole) => BoundValue::Int(whole),
            None => BoundValue::Number(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::Array(_) | Json::Object(_) => {
            return Err(format!(
                "value {} is a list or an object; texts, numbers, true, false and null are values",
                at + 1
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_an_array_or_texts() {
        let text = |text: &str| BoundValue::Text(text.to_owned());
        assert_eq!(parse_values("").unwrap(), []);
        assert_eq!(parse_values("TCS, 5").unwrap(), [text("TCS"), text("5")]);
        let typed = parse_values(r#"["A, B", 5, 1.5, true, null]"#).unwrap();
        let expected = [
            text("A, B"),
            BoundValue::Int(5),
            BoundValue::Number(1.5),
            BoundValue::Flag(true),
            BoundValue::Null,
        ];
        assert_eq!(typed, expected);
        for wrong in ["[1", "[[1]]", "[{}]"] {
            assert!(parse_values(wrong).unwrap_err().message.starts_with("`params`"), "{wrong}");
        }
        let many = format!("[{}]", vec!["1"; 101].join(","));
        assert!(parse_values(&many).unwrap_err().message.contains("at most 100"));
    }
}
