//! The functions that questions to a catalogue may call. Most say what a server without such a thing says.

use std::collections::HashMap;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};

use super::super::kind::PgKind;
use crate::operation::Market;

/// The release of Postgres whose catalogue this one looks like.
pub(crate) const SERVER_VERSION: &str = "14.0";

/// What functions know.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The market of the database.
    pub market: Option<Market>,
    /// The name of the database.
    pub database: String,
    /// Tables by number: the schema and the name.
    pub tables: HashMap<i64, (String, String)>,
    /// Words by number and column.
    pub words: HashMap<(i64, i64), String>,
    /// Types by number, and numbers by name.
    pub types: HashMap<i64, String>,
}

/// Functions of SQLite itself that are allowed, with what they answer; none for the type of the argument.
const NATIVE: [(&str, Option<PgKind>); 23] = [
    ("abs", None),
    ("avg", Some(PgKind::Number)),
    ("coalesce", None),
    ("concat", Some(PgKind::Text)),
    ("concat_ws", Some(PgKind::Text)),
    ("count", Some(PgKind::Int8)),
    ("dense_rank", Some(PgKind::Int8)),
    ("json_object", Some(PgKind::Text)),
    ("length", Some(PgKind::Int4)),
    ("lower", Some(PgKind::Text)),
    ("ltrim", Some(PgKind::Text)),
    ("max", None),
    ("min", None),
    ("nullif", None),
    ("rank", Some(PgKind::Int8)),
    ("replace", Some(PgKind::Text)),
    ("row_number", Some(PgKind::Int8)),
    ("rtrim", Some(PgKind::Text)),
    ("string_agg", Some(PgKind::Text)),
    ("substr", Some(PgKind::Text)),
    ("sum", Some(PgKind::Int8)),
    ("trim", Some(PgKind::Text)),
    ("upper", Some(PgKind::Text)),
];

/// Functions of ours.
const OWN: [(&str, PgKind); 48] = [
    ("array_agg", PgKind::Text),
    ("array_length", PgKind::Int4),
    ("array_lower", PgKind::Int4),
    ("array_to_string", PgKind::Text),
    ("col_description", PgKind::Text),
    ("current_database", PgKind::Name),
    ("current_schema", PgKind::Name),
    ("current_schemas", PgKind::Text),
    ("current_setting", PgKind::Text),
    ("current_user", PgKind::Name),
    ("format_type", PgKind::Text),
    ("has_table_privilege", PgKind::Bool),
    ("obj_description", PgKind::Text),
    ("pg_any", PgKind::Bool),
    ("pg_array", PgKind::Text),
    ("pg_backend_pid", PgKind::Int4),
    ("pg_client_encoding", PgKind::Name),
    ("pg_element", PgKind::Text),
    ("pg_encoding_to_char", PgKind::Name),
    ("pg_get_expr", PgKind::Text),
    ("pg_get_userbyid", PgKind::Name),
    ("pg_imatch", PgKind::Bool),
    ("pg_is_in_recovery", PgKind::Bool),
    ("pg_match", PgKind::Bool),
    ("pg_my_temp_schema", PgKind::Oid),
    ("pg_relation_is_publishable", PgKind::Bool),
    ("pg_relation_size", PgKind::Int8),
    ("pg_size_pretty", PgKind::Text),
    ("pg_table_is_visible", PgKind::Bool),
    ("pg_tablespace_location", PgKind::Text),
    ("pg_type_is_visible", PgKind::Bool),
    ("pg_typeof", PgKind::Text),
    ("quote_ident", PgKind::Text),
    ("pg_json", PgKind::Text),
    ("pg_series", PgKind::Text),
    ("regclass_name", PgKind::Text),
    ("regnamespace_name", PgKind::Text),
    ("regproc_name", PgKind::Text),
    ("set_config", PgKind::Text),
    ("shobj_description", PgKind::Text),
    ("string_to_array", PgKind::Text),
    ("strpos", PgKind::Int4),
    ("to_regclass", PgKind::Oid),
    ("to_regnamespace", PgKind::Oid),
    ("to_regtype", PgKind::Oid),
    ("txid_current", PgKind::Int8),
    ("version", PgKind::Text),
    ("left", PgKind::Text),
];

/// The one of these functions that answers for a function of Postgres: those of a kind say the same.
pub(super) fn known_as(name: &str) -> &str {
    match name {
        "substring" => "substr",
        "char_length" | "character_length" => "length",
        "json_build_object" => "json_object",
        "current_catalog" => "current_database",
        "session_user" | "current_role" | "user" => "current_user",
        "array_upper" => "array_length",
        "pg_table_is_visible" => name,
        _ if name.starts_with("pg_") && name.ends_with("_is_visible") => "pg_type_is_visible",
        "pg_get_userbyid" => name,
        _ if name.starts_with("pg_get_") || name.starts_with("inet_") => "pg_get_expr",
        _ if name.starts_with("pg_") && name.ends_with("_size") => "pg_relation_size",
        _ if name.starts_with("has_") && name.ends_with("_privilege") => "has_table_privilege",
        _ => name,
    }
}

/// What a function answers.
pub(super) enum FunctionKind {
    /// Values of this kind.
    Always(PgKind),
    /// Values of the kind of its first argument.
    AsFirst,
}

/// What a function answers; none where there is no such function.
pub(super) fn kind_of(name: &str) -> Option<FunctionKind> {
    let name = known_as(name);
    let own = OWN.iter().find(|(known, _)| *known == name).map(|(_, kind)| FunctionKind::Always(*kind));
    own.or_else(|| {
        let (_, kind) = NATIVE.iter().find(|(known, _)| *known == name)?;
        Some(kind.map_or(FunctionKind::AsFirst, FunctionKind::Always))
    })
}

/// The value of a setting.
pub(crate) fn setting(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "server_version" => SERVER_VERSION,
        "server_version_num" => "140000",
        "server_encoding" | "client_encoding" => "UTF8",
        "standard_conforming_strings"
        | "integer_datetimes"
        | "transaction_read_only"
        | "default_transaction_read_only" => "on",
        "is_superuser" | "in_hot_standby" | "ssl" => "off",
        "datestyle" => "ISO, YMD",
        "intervalstyle" => "postgres",
        "timezone" | "log_timezone" => "UTC",
        "transaction_isolation" | "default_transaction_isolation" | "transaction isolation level" => {
            "read committed"
        }
        "max_identifier_length" => "63",
        "max_index_keys" => "32",
        "lc_collate" | "lc_ctype" | "lc_messages" => "C",
        "bytea_output" => "hex",
        "extra_float_digits" => "1",
        "application_name" | "search_path" | "session_replication_role" => "",
        "statement_timeout" | "lock_timeout" | "idle_in_transaction_session_timeout" => "0",
        _ => return None,
    })
}

/// The most numbers of a series.
const MOST_OF_SERIES: usize = 1_000;

/// Gives a connection these functions.
pub(super) fn register(connection: &Connection, facts: &Arc<Facts>) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for (name, _) in OWN {
        if name == "array_agg" {
            connection.create_aggregate_function(name, 1, flags, ArrayAgg)?;
        } else {
            let facts = Arc::clone(facts);
            connection.create_scalar_function(name, -1, flags, move |call| answer(name, call, &facts))?;
        }
    }
    Ok(())
}

fn answer(name: &str, call: &Context<'_>, facts: &Facts) -> Result<Value> {
    let text = |at: usize| text_at(call, at);
    let number = |at: usize| number_at(call, at);
    let words = |text: &str| Ok(Value::Text(text.to_owned()));
    let schema = || facts.market.map_or("india", Market::word);
    match name {
        "version" => Ok(Value::Text(format!(
            "PostgreSQL {SERVER_VERSION} (Parquote {}, read only)",
            env!("CARGO_PKG_VERSION")
        ))),
        "current_database" => words(&facts.database),
        "current_schema" => words(schema()),
        "current_schemas" => Ok(Value::Text(format!("{{pg_catalog,{}}}", schema()))),
        "current_user" | "pg_get_userbyid" => words("parquote"),
        "pg_encoding_to_char" | "pg_client_encoding" => words("UTF8"),
        "current_setting" => maybe(text(0).and_then(|name| match name.to_lowercase().as_str() {
            "search_path" => Some(schema().to_owned()),
            name => setting(name).map(str::to_owned),
        })),
        "set_config" => maybe(text(1)),
        "format_type" => maybe(number(0).and_then(|oid| facts.types.get(&oid).cloned())),
        "pg_table_is_visible" => flag(match number(0).map(|oid| facts.tables.get(&oid)) {
            Some(Some((of, _))) => of == schema(),
            Some(None) => false,
            None => return Ok(Value::Null),
        }),
        "pg_is_in_recovery" | "pg_relation_is_publishable" => flag(false),
        "has_table_privilege" | "pg_type_is_visible" => flag(true),
        "pg_relation_size" | "pg_my_temp_schema" => Ok(Value::Integer(0)),
        "pg_size_pretty" => maybe(number(0).map(|bytes| format!("{bytes} bytes"))),
        "pg_backend_pid" | "txid_current" | "array_lower" => Ok(Value::Integer(1)),
        "obj_description" => maybe(number(0).and_then(|oid| facts.words.get(&(oid, 0)).cloned())),
        "col_description" => {
            maybe(number(0).zip(number(1)).and_then(|(oid, column)| facts.words.get(&(oid, column)).cloned()))
        }
        "regclass_name" => maybe(text(0).map(|oid| {
            let known = oid.parse().ok().and_then(|number: i64| facts.tables.get(&number));
            match known {
                Some((of, name)) if of == schema() => quoted(name),
                Some((of, name)) => format!("{}.{}", quoted(of), quoted(name)),
                None => oid,
            }
        })),
        "to_regclass" => {
            Ok(text(0).and_then(|name| found(facts, schema(), &name)).map_or(Value::Null, Value::Integer))
        }
        "to_regtype" => {
            let asked = text(0).unwrap_or_default();
            let known = facts.types.iter().find(|(_, name)| **name == asked);
            Ok(known.map_or(Value::Null, |(oid, _)| Value::Integer(*oid)))
        }
        "to_regnamespace" => {
            let known = SCHEMAS.iter().find(|(_, name)| text(0).is_some_and(|asked| asked == *name));
            Ok(known.map_or(Value::Null, |(oid, _)| Value::Integer(*oid)))
        }
        "regnamespace_name" => {
            let known = SCHEMAS.iter().find(|(oid, _)| number(0) == Some(*oid));
            maybe(known.map_or_else(|| text(0), |(_, name)| Some((*name).to_owned())))
        }
        "pg_typeof" => words("text"),
        _ => of_texts(name, call),
    }
}

/// The value of a function of texts and lists, which knows no facts.
fn of_texts(name: &str, call: &Context<'_>) -> Result<Value> {
    let text = |at: usize| text_at(call, at);
    let number = |at: usize| number_at(call, at);
    match name {
        "quote_ident" => maybe(text(0).map(|name| quoted(&name))),
        "left" => maybe(text(0).map(|all| {
            let most = usize::try_from(number(1).unwrap_or_default()).unwrap_or_default();
            all.chars().take(most).collect()
        })),
        "strpos" => Ok(text(0).zip(text(1)).map_or(Value::Null, |(all, part)| {
            let at =
                all.find(&part).map_or(0, |at| all.get(..at).map_or(0, |before| before.chars().count()) + 1);
            Value::Integer(at as i64)
        })),
        "array_to_string" => maybe(text(0).map(|list| items(&list).join(&text(1).unwrap_or_default()))),
        "array_length" => {
            let count = text(0).map(|list| items(&list).len());
            Ok(count.filter(|count| *count > 0).map_or(Value::Null, |count| Value::Integer(count as i64)))
        }
        "pg_element" => maybe(text(0).zip(number(1)).and_then(|(list, at)| {
            let at = usize::try_from(at).ok()?.checked_sub(1)?;
            items(&list).get(at).cloned()
        })),
        "pg_array" => {
            let all: Vec<String> = (0..call.len()).map(|at| text(at).unwrap_or_default()).collect();
            Ok(Value::Text(listed(&all)))
        }
        "string_to_array" => maybe(text(0).map(|all| {
            let by = text(1).unwrap_or_default();
            let parts: Vec<String> = all.split(by.as_str()).map(str::to_owned).collect();
            listed(&parts)
        })),
        "pg_json" => Ok(Value::Text(json(&text(0).map(|list| items(&list)).unwrap_or_default()))),
        "pg_series" => {
            let (first, last) = (number(0).unwrap_or(1), number(1).unwrap_or_default());
            Ok(Value::Text(json(&(first..=last).take(MOST_OF_SERIES).collect::<Vec<_>>())))
        }
        "regproc_name" => maybe(text(0).map(|name| name.rsplit('.').next().unwrap_or_default().to_owned())),
        "pg_any" => match (text(0), text(1)) {
            (Some(one), Some(list)) => flag(items(&list).contains(&one)),
            _ => Ok(Value::Null),
        },
        "pg_match" | "pg_imatch" => {
            let (Some(all), Some(_)) = (text(0), text(1)) else { return Ok(Value::Null) };
            let pattern = call.get_or_create_aux(1, |value| {
                let pattern = text_of(value).unwrap_or_default();
                let built: Result<Regex, regex::Error> = RegexBuilder::new(&pattern)
                    .case_insensitive(name == "pg_imatch")
                    .size_limit(1 << 20)
                    .build();
                built.map_err(|error| Error::UserFunctionError(error.into()))
            })?;
            flag(pattern.is_match(&all))
        }
        _ => Ok(Value::Null),
    }
}

fn text_at(call: &Context<'_>, at: usize) -> Option<String> {
    if at < call.len() { text_of(call.get_raw(at)) } else { None }
}

fn number_at(call: &Context<'_>, at: usize) -> Option<i64> {
    text_at(call, at).and_then(|text| text.parse().ok())
}

#[expect(clippy::unnecessary_wraps, reason = "it is an arm among others that may fail")]
fn maybe(text: Option<String>) -> Result<Value> {
    Ok(text.map_or(Value::Null, Value::Text))
}

#[expect(clippy::unnecessary_wraps, reason = "it is an arm among others that may fail")]
fn flag(is_so: bool) -> Result<Value> {
    Ok(Value::Integer(is_so.into()))
}

/// The schemas with their numbers.
pub(super) const SCHEMAS: [(i64, &str); 4] =
    [(11, "pg_catalog"), (13_000, "information_schema"), (16_384, "india"), (16_385, "us")];

/// The number of a table that is written as `stocks`, `us.stocks`, or as its number.
fn found(facts: &Facts, home: &str, written: &str) -> Option<i64> {
    if let Ok(number) = written.parse::<i64>() {
        return Some(number);
    }
    let plain = written.replace('"', "");
    match plain.trim_start_matches("pg_catalog.") {
        "pg_class" => return Some(1_259),
        "pg_namespace" => return Some(2_615),
        "pg_type" => return Some(1_247),
        _ => {}
    }
    let (schema, name) = plain.split_once('.').unwrap_or((home, &plain));
    let is_it = |table: &&(String, String)| table.0 == schema && table.1 == name;
    facts.tables.iter().find(|(_, table)| is_it(table)).map(|(oid, _)| *oid)
}

fn json<T: serde::Serialize>(items: &[T]) -> String {
    serde_json::to_string(items).unwrap_or_else(|_| "[]".to_owned())
}

fn text_of(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text).into_owned()),
    }
}

fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The items of a list such as `{a,b}`, or of one in brackets.
fn items(list: &str) -> Vec<String> {
    let inner = list.trim_matches(|c| matches!(c, '{' | '}'));
    let items = inner.split([',', ' ']).filter(|item| !item.is_empty());
    items.map(|item| item.trim_matches('"').to_owned()).collect()
}

fn listed(items: &[String]) -> String {
    format!("{{{}}}", items.join(","))
}

/// Values of many rows as a list.
struct ArrayAgg;

impl Aggregate<Vec<String>, Option<String>> for ArrayAgg {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn step(&self, call: &mut Context<'_>, list: &mut Vec<String>) -> Result<()> {
        list.push(text_of(call.get_raw(0)).unwrap_or_else(|| "NULL".to_owned()));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, list: Option<Vec<String>>) -> Result<Option<String>> {
        Ok(list.map(|list| listed(&list)))
    }
}
