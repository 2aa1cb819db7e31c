//! Fingerprints of a table's rules, and partition keys: a key hashes the rules and the inputs of a partition.
//!
//! A partition is reused if a published file has its key. Titles, prose, SQL comments, column descriptions and units do not change a
//! fingerprint, as they do not change rows. [`super::row_fingerprint`] hashes rows.

use blake3::Hasher;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer, Word};

use super::row_fingerprint::{self, YearKeys};
use super::sessions::years;
use parquote_catalogue::operation::{Catalogue, Column, Market, Table, TableOrigin};
use parquote_functions::{Calendar, CalendarUse};
use parquote_raw::Session;

/// Hash, taken at build time, of the code that computes rows and of the versions of all dependencies.
pub const ROW_CODE_HASH: &str = env!("PARQUOTE_FIGURES");

/// Returns the fingerprint of everything besides its inputs that decides the rows of a table: the code, its SQL, its columns, and its other
/// declarations.
///
/// Every field of a declaration is listed, so that a new field does not compile until it is added here.
pub(super) fn of_rules(table: &Table, market: Market) -> String {
    let Table {
        name,
        origin,
        key,
        known,
        sorted,
        per,
        lookback,
        carried,
        yearly,
        keep,
        schedules,
        formula,
        optional_tables,
        // It affects only rows from raw files, which are fingerprinted themselves.
        staging: _,
        // The columns of the given market are fingerprinted below.
        market: _,
        columns: _,
        // These fields do not affect rows.
        file: _,
        title: _,
        prose: _,
        line: _,
        stale_after_hours: _,
        session_dependent_columns: _,
        filled_by: _,
        made_with: _,
    } = table;
    let made = match origin {
        TableOrigin::Derived(sql) | TableOrigin::View(sql) => normalize_sql(sql),
        TableOrigin::Source(source) => format!("source {source}"),
    };
    let lists = format!("{key:?} {known:?} {sorted:?} {carried:?} {optional_tables:?}");
    let schedule = schedules.get(&market);
    let how = format!("{per:?} {lookback:?} {yearly} {keep} {schedule:?} {formula:?}");
    let columns = columns_fingerprint(table, market);
    hash_parts([ROW_CODE_HASH, market.word(), name, &made, &lists, &how, &columns])
}

/// Returns one fingerprint of the rules of all tables. Programs with the same fingerprint derive the same rows from the same raw files.
pub fn rules_fingerprint(catalogue: &Catalogue) -> String {
    let of_market = |market| catalogue.tables_in(market).map(move |table| of_rules(table, market));
    let rules: Vec<String> = Market::ALL.into_iter().flat_map(of_market).collect();
    hash_parts(rules.iter().map(String::as_str))
}

/// Returns the fingerprint of the properties of a table that its readers depend on: its name, its columns and its sort order.
fn shape_fingerprint(table: &Table, market: Market) -> String {
    hash_parts([table.name.as_str(), &columns_fingerprint(table, market), &format!("{:?}", table.sorted)])
}

fn columns_fingerprint(table: &Table, market: Market) -> String {
    let one = |column: &Column| {
        let Column {
            name,
            ty,
            nullable,
            // Limits are applied while raw files are read, so their effect is in the rows.
            limits: _,
            unit: _,
            market: _,
            words: _,
            line: _,
        } = column;
        format!("{name} {ty:?} {nullable}")
    };
    table.columns_in(market).map(one).collect::<Vec<_>>().join(", ")
}

/// Returns the key of a single-file table, over its rules and the fingerprints of the rows that it reads, and over the sessions if its SQL
/// calls a calendar function.
pub(super) fn of_file(
    table: &Table,
    market: Market,
    reads: &[(&Table, String)],
    sessions: &[Session],
) -> String {
    let mut parts = vec![of_rules(table, market)];
    if calendar_use(table).is_some() {
        parts.extend(sessions.iter().map(|session| session.date.to_string()));
    }
    for (read, rows) in reads {
        parts.extend([shape_fingerprint(read, market), rows.clone()]);
    }
    hash_parts(parts.iter().map(String::as_str))
}

/// Returns the keys of a long table, one for each part of each calendar year, over its rules and inputs. Years with an unknown input are
/// left out. If the SQL calls calendar functions of the past, the sessions up to the end of the year are part of the key; if it calls
/// calendar functions of today, all sessions are.
pub(super) fn of_years(
    table: &Table,
    market: Market,
    reads: &[(&str, &YearKeys)],
    sessions: &[Session],
    parts: impl Fn(i32) -> usize,
) -> YearKeys {
    let requested = calendar_use(table);
    let rules = of_rules(table, market);
    let past = row_fingerprint::of_sessions(sessions);
    let all = past.last_key_value().map(|(_, all)| all);
    let of_part = |year: i32, part: usize| {
        let calendar = match requested {
            None => None,
            Some(CalendarUse::Past) => past.get(&year),
            Some(CalendarUse::Today) => all,
        };
        let name = year.to_string();
        let mut hashed = vec![rules.as_str(), &name, calendar.map(String::as_str).unwrap_or_default()];
        for (name, keys) in reads {
            hashed.extend([*name, keys.get(&year)?.get(part)?]);
        }
        Some(hash_parts(hashed))
    };
    let of_year = |year: i32| {
        let keys: Option<Vec<String>> = (0..parts(year)).map(|part| of_part(year, part)).collect();
        Some((year, keys?))
    };
    years(sessions).into_iter().filter_map(of_year).collect()
}

/// Returns one key for several partitions; the key of a single partition is returned unchanged.
pub(super) fn of_partitions<'a>(keys: impl IntoIterator<Item = &'a str>) -> String {
    let keys: Vec<&str> = keys.into_iter().collect();
    match keys.as_slice() {
        [only] => (*only).to_owned(),
        several => hash_parts(several.iter().copied()),
    }
}

/// Hashes texts, each prefixed by its length.
fn hash_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_string()
}

/// Returns the calendar use of a table's SQL with the most sessions; `None` if it calls no calendar function.
fn calendar_use(table: &Table) -> Option<CalendarUse> {
    let tokens = tokens(table.sql()?);
    let calls = tokens.windows(2).filter_map(|pair| match pair {
        [Token::Word(function), Token::LParen] => Some(function.value.to_lowercase()),
        _ => None,
    });
    calls.filter_map(|function| Calendar::calendar_use(&function)).max()
}

/// Normalizes SQL: drops blanks and comments, and lowercases unquoted words.
fn normalize_sql(sql: &str) -> String {
    let tokens = tokens(sql).into_iter().map(|token| match token {
        Token::Word(Word { value, quote_style: None, .. }) => value.to_lowercase(),
        other => other.to_string(),
    });
    tokens.collect::<Vec<_>>().join(" ")
}

/// Splits SQL into the tokens of DataFusion's parser, without blanks and comments. Tokens lose nothing, whereas a parse tree is printed
/// only as far as its printer supports it. Text that cannot be tokenized becomes one token.
fn tokens(sql: &str) -> Vec<Token> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize();
    let tokens = tokens.unwrap_or_else(|_| vec![Token::SingleQuotedString(sql.to_owned())]);
    tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::over_new_year;

    const TEXT: &str = "-- Lists: of stocks.\n--\n-- Prose.\n--\n-- key: symbol\n-- sorted: symbol\n-- formula: lists 1\n\
                        -- column: symbol text \"Symbol.\"\n-- column: weight number? ratio \"Weight.\"\n\
                        SELECT symbol, 1.5 AS weight FROM stocks WHERE name <> 'it''s' -- not this one\n";

    fn table(text: &str) -> Table {
        Table::parse("tables/lists.sql", text).unwrap().remove(0)
    }

    fn changed(from: &str, to: &str) -> Table {
        assert!(TEXT.contains(from), "{from}");
        table(&TEXT.replace(from, to))
    }

    #[test]
    fn words_for_people_do_not_count() {
        let base = of_rules(&table(TEXT), Market::India);
        for (from, to) in [
            ("Lists: of stocks.", "Lists: of shares."),
            ("-- Prose.", "-- Prose.\n-- And more of it."),
            ("\"Weight.\"", "\"How much it weighs.\""),
            ("-- not this one", "-- nor that one"),
            ("SELECT symbol, 1.5", "SELECT symbol, /* a weight */\n       1.5"),
            ("SELECT", "select"),
            ("AS weight", "As Weight"),
            ("number? ratio", "number? pct"),
            ("-- formula: lists 1", "-- formula: lists 1\n-- stale-after-hours: 30"),
        ] {
            assert_eq!(base, of_rules(&changed(from, to), Market::India), "{to}");
        }
    }

    #[test]
    fn what_decides_rows_counts() {
        let base = of_rules(&table(TEXT), Market::India);
        let mut seen = vec![base, of_rules(&table(TEXT), Market::Us)];
        for (from, to) in [
            ("1.5", "1.50"),
            ("'it''s'", "'It''s'"),
            ("'it''s'", "'its'"),
            ("FROM stocks", "FROM \"Stocks\""),
            ("WHERE name", "WHERE names"),
            ("lists 1", "lists 2"),
            ("number? ratio", "number ratio"),
            ("number? ratio", "int? ratio"),
            ("number? ratio", "number? us ratio"),
            ("sorted: symbol", "sorted: symbol, weight"),
            ("key: symbol", "key: symbol, weight"),
            ("key: symbol", "key: symbol\n-- keep: yes"),
            ("key: symbol", "key: symbol\n-- per: symbol\n-- lookback: 3"),
            ("key: symbol", "key: symbol\n-- per: symbol\n-- lookback: 4"),
            ("key: symbol", "key: symbol\n-- optional: stocks"),
            ("key: symbol", "key: symbol\n-- schedule: 30 12 * * 1-5"),
        ] {
            let fingerprint = of_rules(&changed(from, to), Market::India);
            assert!(!seen.contains(&fingerprint), "{to}");
            seen.push(fingerprint);
        }
    }

    #[test]
    fn calls_of_the_calendar_are_found_in_any_case() {
        let of = |sql: &str| calendar_use(&changed("SELECT symbol, 1.5 AS weight FROM stocks", sql));
        for sql in [
            "SELECT AS_OF ()",
            "SELECT 1 FROM a WHERE day > Session_Ago(4)",
            "SELECT \"as_of\"(), session_on(day)",
        ] {
            assert_eq!(of(sql), Some(CalendarUse::Today), "{sql}");
        }
        for sql in ["SELECT Session_On(day)", "SELECT unnest(sessions_held(a, b, 5))"] {
            assert_eq!(of(sql), Some(CalendarUse::Past), "{sql}");
        }
        for sql in [
            "SELECT session FROM sessions",
            "SELECT as_of FROM days",
            "SELECT 'as_of()'",
            "SELECT 1 -- as_of()\n",
        ] {
            assert_eq!(of(sql), None, "{sql}");
        }
    }

    #[test]
    fn a_day_more_changes_what_asks_for_the_calendar_and_nothing_else() {
        let [all, before] = [over_new_year(), over_new_year()[..2].to_vec()];
        let changes = |table: &Table| {
            of_file(table, Market::India, &[], &all) != of_file(table, Market::India, &[], &before)
        };
        assert!(!changes(&table(TEXT)));
        assert!(changes(&changed("'it''s'", "As_Of ( )")));
        assert!(changes(&changed("'it''s'", "session_on(listed_on)")));
    }

    #[test]
    fn a_closed_year_has_the_calendar_up_to_its_end() {
        let [all, before] = [over_new_year(), over_new_year()[..2].to_vec()];
        let earlier: Vec<Session> = all.iter().skip(1).copied().collect();
        let of = |table: &Table, sessions: &[Session]| {
            of_years(table, Market::India, &[], sessions, |_| 1)[&2024].clone()
        };
        let same = |table: &Table, other: &[Session]| of(table, &all) == of(table, other);
        assert!(same(&table(TEXT), &before) && same(&table(TEXT), &earlier));
        let past = changed("'it''s'", "sessions_held(a, b, 4)");
        assert!(same(&past, &before) && !same(&past, &earlier));
        let today = changed("'it''s'", "AS_OF()");
        assert!(!same(&today, &before) && !same(&today, &earlier));
    }

    #[test]
    fn a_table_in_one_file_has_what_it_reads() {
        let of = |read: &Table, rows: &str| {
            of_file(&table(TEXT), Market::India, &[(read, rows.to_owned())], &over_new_year())
        };
        let base = of(&table(TEXT), "rows");
        assert_eq!(base, of(&changed("1.5", "2.5"), "rows"), "rows that came out the same change nothing");
        assert_ne!(base, of(&table(TEXT), "other rows"));
        assert_ne!(base, of(&changed("number? ratio", "int? ratio"), "rows"));
        assert_ne!(base, of(&changed("sorted: symbol", "sorted: weight"), "rows"));
    }

    #[test]
    fn a_part_has_what_it_reads_of_its_own_part() {
        let keys = |rows: [&str; 2]| {
            let keys = YearKeys::from([(2024, rows.map(str::to_owned).to_vec())]);
            of_years(&table(TEXT), Market::India, &[("stocks", &keys)], &over_new_year(), |_| 2)
        };
        let (base, other) = (keys(["a", "b"]), keys(["a", "c"]));
        assert_eq!(base[&2024][0], other[&2024][0]);
        assert_ne!(base[&2024][1], other[&2024][1]);
        assert_eq!(base.len(), 1, "a year of which an input is unknown has no keys");
        assert_eq!(of_partitions(["a"]), "a");
        assert_ne!(of_partitions(["a", "b"]), of_partitions(["ab"]));
    }
}
