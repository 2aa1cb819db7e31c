//! `also: us`: the same operation for the second market, declared in one file.
//!
//! What differs stands in facts whose key starts with `us-`: `us-tool`, `us-tier`, `us-group`, `us-title`, `us-param` and so on. A `us-param`,
//! `us-column` or `us-example` takes the place of the one of the same name; what has no counterpart is added. `us-names` lists what
//! parameters and columns are called there (`period = quarter, market_cap_cr = market_cap_b`); it renames whole names, never
//! text within strings. The SQL is otherwise the same: a twin with SQL of its own is a file of its own.

use super::header::{Block, DeclarationError, HeaderFact, QueryFile};

/// The only market that can be the second one, as the key's value and as the prefix of its facts.
const SECOND: &str = "us";

/// A file's declarations: that of its own market, and that of the second one where `also: us` asks for it.
pub(super) fn split(source: &QueryFile) -> Result<(QueryFile, Option<QueryFile>), Vec<DeclarationError>> {
    let of_second =
        |fact: &HeaderFact| fact.key.strip_prefix(SECOND).is_some_and(|rest| rest.starts_with('-'));
    let header = source.blocks.first().map(|block| block.facts.as_slice()).unwrap_or_default();
    let also = header.iter().find(|fact| fact.key == "also");
    let mut own = source.clone();
    for block in &mut own.blocks {
        block.facts.retain(|fact| fact.key != "also" && !of_second(fact));
    }
    let Some(also) = also else {
        let stray: Vec<_> = header.iter().filter(|fact| of_second(fact)).collect();
        let errors = stray.iter().map(|fact| {
            source.error(fact.line, format!("`{}` goes with `also: {SECOND}`, which is missing", fact.key))
        });
        let errors: Vec<_> = errors.collect();
        return if errors.is_empty() { Ok((own, None)) } else { Err(errors) };
    };
    if also.value != SECOND || source.file.starts_with("api/us/") {
        let message = format!("`also: {SECOND}`, in a file of the Indian market, is the only form");
        return Err(vec![source.error(also.line, message)]);
    }
    let differing = header.iter().filter(|fact| of_second(fact)).map(|fact| HeaderFact {
        line: fact.line,
        key: fact.key.chars().skip(SECOND.len() + 1).collect(),
        value: fact.value.clone(),
    });
    let second = second(&own, differing.collect())?;
    Ok((own, Some(second)))
}

/// The declaration of the second market: the first one's, renamed, with what differs put in its place.
fn second(own: &QueryFile, differing: Vec<HeaderFact>) -> Result<QueryFile, Vec<DeclarationError>> {
    let mut twin = own.clone();
    let (names, differing): (Vec<_>, Vec<_>) = differing.into_iter().partition(|fact| fact.key == "names");
    let mut errors = Vec::new();
    for fact in &names {
        for pair in fact.value.split(',') {
            match pair.split_once('=').map(|(from, to)| (from.trim(), to.trim())) {
                Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                    if !rename(&mut twin, from, to) {
                        errors.push(
                            own.error(fact.line, format!("the name `{from}` does not stand in this file")),
                        );
                    }
                }
                _ => errors
                    .push(own.error(fact.line, format!("`{}` is not `name = its name there`", pair.trim()))),
            }
        }
    }
    for fact in differing {
        if fact.key == "title" {
            twin.title = fact.value;
        } else if let Some(header) = twin.blocks.first_mut() {
            replace(header, fact);
        }
    }
    if errors.is_empty() { Ok(twin) } else { Err(errors) }
}

/// Puts a fact in the place of its counterpart: the same key, and for params and columns the same name; else at the end.
fn replace(header: &mut Block, fact: HeaderFact) {
    let name = |fact: &HeaderFact| match fact.key.as_str() {
        "param" | "column" => first_word(&fact.value).to_owned(),
        _ => String::new(),
    };
    let counterpart =
        header.facts.iter_mut().find(|known| known.key == fact.key && name(known) == name(&fact));
    match counterpart {
        Some(known) => *known = fact,
        None => header.facts.push(fact),
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Renames in all SQL and in the facts that speak of params and columns. Whether the name stood anywhere.
fn rename(twin: &mut QueryFile, from: &str, to: &str) -> bool {
    let mut found = false;
    for block in &mut twin.blocks {
        found |= renamed(&mut block.sql, from, to);
        for fact in &mut block.facts {
            found |= match fact.key.as_str() {
                "param" | "column" => renamed_beside_type(&mut fact.value, from, to),
                "when" | "wrap" | "picture" => renamed(&mut fact.value, from, to),
                _ => false,
            };
        }
    }
    found
}

/// Renames in the line of a param or a column, whose second word is its type: `period` may be both a name and a type.
fn renamed_beside_type(line: &mut String, from: &str, to: &str) -> bool {
    let end = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, rest) = line.split_at(end(line));
    let (space, rest) = rest.split_at(rest.len() - rest.trim_start().len());
    let (ty, rest) = rest.split_at(end(rest));
    let (mut name, mut rest) = (name.to_owned(), rest.to_owned());
    let found = renamed(&mut name, from, to) | renamed(&mut rest, from, to);
    *line = format!("{name}{space}{ty}{rest}");
    found
}

/// Replaces whole names outside of strings, quoted names and comments.
fn renamed(text: &mut String, from: &str, to: &str) -> bool {
    let mut out = String::with_capacity(text.len());
    let mut found = false;
    let mut rest = text.as_str();
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '\'' | '"' => quoted(rest, next),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            c if is_of_name(c) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        found |= word == from;
        out.push_str(if word == from { to } else { word });
        rest = after;
    }
    *text = out;
    found
}

/// The length of a quoted text, its quotes counted; all of the rest where it does not end.
fn quoted(text: &str, quote: char) -> usize {
    text.char_indices().skip(1).find(|(_, c)| *c == quote).map_or(text.len(), |(at, _)| at + 1)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "-- Order wins of a company.\n-- tool: get_it\n-- tier: free\n-- group: Core\n-- free-symbols: yes\n-- answer: list\n\
        -- param: symbol text \"On NSE.\" e.g. A\n-- param: period period? \"Quarter.\"\n\
        -- also: us\n-- us-tool: us_get_it\n-- us-tier: api_pro\n-- us-free-symbols: no\n\
        -- us-names: period = quarter, value_cr = value_b\n-- us-param: symbol text \"Ticker.\" e.g. B\n\
        SELECT value_cr, 'value_cr' AS unit -- value_cr\nFROM orders WHERE $period = period_of AND symbol = $symbol";

    fn split_text(text: &str) -> Result<(QueryFile, Option<QueryFile>), Vec<DeclarationError>> {
        split(&QueryFile::parse("api/x.sql", text).unwrap())
    }

    #[test]
    fn the_second_declaration_has_its_own_facts_in_the_place_of_the_first_ones() {
        let (own, twin) = split_text(FILE).unwrap();
        let twin = twin.unwrap();
        let facts = |source: &QueryFile| {
            let facts = source.blocks[0].facts.iter();
            facts.map(|fact| format!("{}: {}", fact.key, fact.value)).collect::<Vec<_>>()
        };
        assert_eq!(
            facts(&twin),
            [
                "tool: us_get_it",
                "tier: api_pro",
                "group: Core",
                "free-symbols: no",
                "answer: list",
                "param: symbol text \"Ticker.\" e.g. B",
                "param: quarter period? \"Quarter.\"",
            ]
        );
        assert_eq!(facts(&own)[0], "tool: get_it");
        assert_eq!(facts(&own).len(), 7);
        assert!(own.blocks[0].sql.contains("value_cr, 'value_cr'"));
    }

    #[test]
    fn whole_names_are_renamed_and_no_text_in_strings() {
        let (_, twin) = split_text(FILE).unwrap();
        assert_eq!(
            twin.unwrap().blocks[0].sql,
            "SELECT value_b, 'value_cr' AS unit -- value_cr\nFROM orders WHERE $quarter = period_of AND symbol = $symbol"
        );
    }

    #[test]
    fn a_name_that_does_not_stand_in_the_file_is_an_error_at_its_line() {
        let error = split_text(&FILE.replace("value_cr = value_b", "valeu_cr = value_b")).unwrap_err();
        assert_eq!(
            (error[0].line, error[0].message.as_str()),
            (13, "the name `valeu_cr` does not stand in this file")
        );
    }

    #[test]
    fn facts_of_the_second_market_need_it() {
        let error = split_text(&FILE.replace("-- also: us\n", "")).unwrap_err();
        assert_eq!((error[0].line, error.len()), (9, 5));
        assert!(split_text(&FILE.replace("also: us", "also: uk")).is_err());
    }
}
