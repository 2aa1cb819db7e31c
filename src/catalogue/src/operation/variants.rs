//! Files that declare several operations, or two tables: `also:` names the further ones, which share the SQL of the file.
//!
//! `also: us` declares the item for the second market too: an operation with a route below `us/`, or a table with the prefix `us_`. Any
//! other name is a second route of the operation, or a second table. Each declared item has two labels. The first label is its market,
//! `india` or `us`. The second is `own` for an item with the name of the file. For another name it is the folder (`explore` for
//! `explore/rotation`) or, in the same folder, the last part of the name. The only item of a file has no labels.
//!
//! A fact whose key starts with a label (`us-tool`, `own-param`) belongs to the items with this label, and `own-us-tool` to the item with
//! both labels. It replaces the shared fact with the same key and, for params, columns and wraps, the same name. If there is none, and for
//! `optional`, it is added. `us-names` renames params and columns of the items with its label (`period = quarter`), in the SQL and in facts
//! without that label. It renames whole names, never text within strings.
//!
//! All items share the SELECTs of the file, with three exceptions. A placeholder of the SQL, such as `$days`, is null in an item without
//! the param `days` if another item of the file has it. `own-omit: sector` leaves a column of the SELECT below it out of the item's answer.
//! A SELECT belongs only to the items with certain labels if each `when:` above it has a label, as in `us-when: always`. `when:` lines
//! without SQL between them share the SQL below them.

use super::header::{DeclarationError, HeaderFact, QueryFile};
use super::market::Market;

/// Word of the second market.
const SECOND: &str = "us";
/// Key of a param that only another item has, so that it is null in this item. No file can contain this key.
pub(super) const UNSET: &str = "param of another item";
/// Label of the items with the name of the file.
const OWN_LABEL: &str = "own";

/// An operation or a table that a file declares.
struct Variant {
    name: String,
    labels: Vec<String>,
}

/// Splits a file into its items, each as (name, file). The first one is `name`, the name of the file; `second` is this name in the second
/// market.
pub(super) fn split(
    source: &QueryFile,
    name: &str,
    second: &str,
) -> Result<Vec<(String, QueryFile)>, Vec<DeclarationError>> {
    let mut variants = vec![Variant::new(name, [name, second])];
    let also = source.blocks.iter().flat_map(|block| &block.facts).filter(|fact| fact.key == "also");
    for (fact, other) in also.flat_map(|fact| split_names(&fact.value).map(move |other| (fact, other))) {
        let variant = Variant::new(if other == SECOND { second } else { other }, [name, second]);
        let is_name = !other.is_empty() && other.chars().all(|c| is_name_char(c) || "-/".contains(c));
        if !is_name || variants.iter().any(|known| known.labels == variant.labels) {
            let message = format!(
                "`also: {other}` adds nothing; write `{SECOND}` in a file of the Indian market, or another name"
            );
            return Err(vec![source.error(fact.line, message)]);
        }
        variants.push(variant);
    }
    refuse_line_labels(source, &variants)?;
    if let [alone] = variants.as_mut_slice() {
        alone.labels.clear();
    }
    variants
        .iter()
        .map(|variant| Ok((variant.name.clone(), variant.query_file(source, &variants)?)))
        .collect()
}

/// Refuses lines of SQL with a comment such as `-- only us` or `-- all`, as such a line would still be part of every item.
fn refuse_line_labels(source: &QueryFile, all: &[Variant]) -> Result<(), Vec<DeclarationError>> {
    let is_label = |word: &str| {
        let mut labels = all.iter().flat_map(|variant| &variant.labels);
        labels.any(|label| label == word) || [SECOND, OWN_LABEL, "present", "absent"].contains(&word)
    };
    let is_refused = |line: &str| {
        let comment = line.rsplit_once("--").map(|(_, comment)| comment.trim()).unwrap_or_default();
        let mut words = comment.strip_prefix("only ").into_iter().flat_map(split_names).peekable();
        comment == "all" || words.peek().is_some() && words.all(is_label)
    };
    for block in &source.blocks {
        if let Some(at) = block.sql.lines().position(is_refused) {
            let message = "SQL runs as it is written, so a comment selects no line of it for a market or route. Compare with `market()`, \
                leave a column out by `us-omit:`, or write a second SELECT under `us-when: always`";
            return Err(vec![source.error(block.line + at, message)]);
        }
    }
    Ok(())
}

impl Variant {
    fn new(name: &str, names_of_file: [&str; 2]) -> Self {
        let is_second = name.starts_with("us/") || name.starts_with("us_");
        let market = if is_second { Market::Us } else { Market::India };
        let route = name.trim_start_matches("us/");
        let label = match route.split_once('/') {
            _ if names_of_file.contains(&name) => OWN_LABEL,
            Some((folder, _))
                if names_of_file.iter().all(|other| !other.starts_with(&format!("{folder}/"))) =>
            {
                folder
            }
            _ => route.rsplit('/').next().unwrap_or(route),
        };
        Self { name: name.to_owned(), labels: vec![market.word().to_owned(), label.replace('_', "-")] }
    }

    /// Returns the file as if it declared only this item.
    fn query_file(&self, source: &QueryFile, all: &[Self]) -> Result<QueryFile, Vec<DeclarationError>> {
        let mut file = source.clone();
        self.rename(&mut file, source, all)?;
        let mut prose = Vec::new();
        for block in &mut file.blocks {
            let is_conditional = block.facts.iter().any(HeaderFact::is_when);
            let (mut applied_facts, mut other_params) = (Vec::new(), Vec::new());
            for fact in std::mem::take(&mut block.facts) {
                let Some(key) = self.applied_key(&fact, all).map(str::to_owned) else {
                    other_params
                        .extend(Some(fact).filter(|fact| labels_and_key(&fact.key, all).1 == "param"));
                    continue;
                };
                match key.as_str() {
                    "also" | "names" => {}
                    "title" => file.title = fact.value,
                    "prose" => prose.push(fact.value),
                    _ => add_or_replace(&mut applied_facts, key == fact.key, HeaderFact { key, ..fact }),
                }
            }
            block.facts = applied_facts.into_iter().map(|(_, fact)| fact).collect();
            add_unset(&mut block.facts, other_params);
            if is_conditional && !block.facts.iter().any(HeaderFact::is_when) {
                block.sql.clear();
            }
        }
        if !prose.is_empty() {
            file.prose = prose.join(" ");
        }
        let mut is_header = true;
        file.blocks
            .retain(|block| std::mem::take(&mut is_header) || block.facts.iter().any(HeaderFact::is_when));
        Ok(file)
    }

    /// Applies the `names` of the item in all SQL, and in the facts without the label of these `names`.
    fn rename(
        &self,
        file: &mut QueryFile,
        source: &QueryFile,
        all: &[Self],
    ) -> Result<(), Vec<DeclarationError>> {
        let mut errors = Vec::new();
        let facts = source.blocks.iter().flat_map(|block| &block.facts);
        for fact in facts.filter(|fact| self.applied_key(fact, all) == Some("names")) {
            let label = fact.key.trim_end_matches("names");
            let key = |fact: &HeaderFact| {
                let key = self.applied_key(fact, all).filter(|_| !fact.key.starts_with(label));
                key.map(str::to_owned)
            };
            for pair in split_names(&fact.value) {
                let message = match pair.split_once('=').map(|(from, to)| (from.trim(), to.trim())) {
                    Some((from, to)) if !to.is_empty() && rename(file, from, to, key) => continue,
                    Some((from, to)) if !to.is_empty() => {
                        format!("the name `{from}` is not in this file")
                    }
                    _ => format!("`{pair}` is not `name = its name there`"),
                };
                errors.push(source.error(fact.line, message));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Returns the key of a fact without its labels; `None` if the item lacks one of these labels.
    fn applied_key<'a>(&self, fact: &'a HeaderFact, all: &[Self]) -> Option<&'a str> {
        let (labels, key) = labels_and_key(&fact.key, all);
        labels.iter().all(|label| self.labels.iter().any(|own| own == label)).then_some(key)
    }
}

/// Splits a key into its leading labels and the rest.
fn labels_and_key<'a>(key: &'a str, all: &[Variant]) -> (Vec<&'a str>, &'a str) {
    let known = || all.iter().flat_map(|variant| &variant.labels);
    let strip_label = |key: &'a str, label: &str| key.strip_prefix(label)?.strip_prefix('-');
    let (mut labels, mut rest) = (Vec::new(), key);
    while let Some((label, after)) = known().find_map(|label| Some((label, strip_label(rest, label)?))) {
        labels.extend(rest.get(..label.len()));
        rest = after;
    }
    (labels, rest)
}

/// Adds the params of other items as unset ones, each name once, unless the item has a param of this name.
fn add_unset(facts: &mut Vec<HeaderFact>, other_params: Vec<HeaderFact>) {
    for fact in other_params {
        let is_same = |known: &HeaderFact| {
            ["param", UNSET].contains(&known.key.as_str())
                && first_word(&known.value) == first_word(&fact.value)
        };
        if !facts.iter().any(is_same) {
            facts.push(HeaderFact { key: UNSET.to_owned(), ..fact });
        }
    }
}

fn split_names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// Adds a fact, or replaces the shared fact with the same key and, for params, columns and wraps, the same name. Each fact has true if it
/// is shared.
fn add_or_replace(facts: &mut Vec<(bool, HeaderFact)>, is_shared: bool, fact: HeaderFact) {
    let name = |fact: &HeaderFact| match fact.key.as_str() {
        "param" | "column" | "wrap" => first_word(&fact.value).to_owned(),
        _ => String::new(),
    };
    let is_counterpart = |(shared, known): &&mut (bool, HeaderFact)| {
        *shared != is_shared && known.key == fact.key && name(known) == name(&fact)
    };
    match facts.iter_mut().find(is_counterpart) {
        // A list with a label is added to the shared list.
        Some(_) if fact.key == "optional" => facts.push((is_shared, fact)),
        Some(_) if is_shared => {}
        Some(known) => *known = (false, fact),
        None => facts.push((is_shared, fact)),
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Renames in all SQL and in facts about params and columns. Returns true if the name occurred.
fn rename(file: &mut QueryFile, from: &str, to: &str, key: impl Fn(&HeaderFact) -> Option<String>) -> bool {
    let mut found = false;
    for block in &mut file.blocks {
        found |= replace_names(&mut block.sql, from, to);
        for fact in &mut block.facts {
            found |= match key(fact).as_deref() {
                Some("param" | "column") => rename_beside_type(&mut fact.value, from, to),
                Some("when" | "wrap" | "omit" | "picture" | "page" | "search" | "key" | "sorted") => {
                    replace_names(&mut fact.value, from, to)
                }
                _ => false,
            };
        }
    }
    found
}

/// Replaces names in the line of a param or column, except its second word, which is a type: `period` may be both a name and a type.
fn rename_beside_type(line: &mut String, from: &str, to: &str) -> bool {
    let end = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, rest) = line.split_at(end(line));
    let (space, rest) = rest.split_at(rest.len() - rest.trim_start().len());
    let (ty, rest) = rest.split_at(end(rest));
    let (mut name, mut rest) = (name.to_owned(), rest.to_owned());
    let found = replace_names(&mut name, from, to) | replace_names(&mut rest, from, to);
    *line = format!("{name}{space}{ty}{rest}");
    found
}

/// Replaces whole names outside of strings, quoted names and comments. Returns true if the name occurred.
fn replace_names(text: &mut String, from: &str, to: &str) -> bool {
    let mut out = String::with_capacity(text.len());
    let mut found = false;
    let mut rest = text.as_str();
    while let Some(next) = rest.chars().next() {
        let length = match next {
            // A string extends to its second quote, or to the end of the text if there is none.
            '\'' | '"' => rest.match_indices(next).nth(1).map_or(rest.len(), |(at, _)| at + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            c if is_name_char(c) => rest.find(|c| !is_name_char(c)).unwrap_or(rest.len()),
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

fn is_name_char(c: char) -> bool {
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

    fn split_text(text: &str) -> Result<Vec<(String, QueryFile)>, Vec<DeclarationError>> {
        split(&QueryFile::parse("api/market/x.sql", text).unwrap(), "market/x", "us/market/x")
    }

    fn facts(source: &QueryFile) -> Vec<String> {
        source.blocks[0].facts.iter().map(|fact| format!("{}: {}", fact.key, fact.value)).collect()
    }

    #[test]
    fn the_second_declaration_has_its_own_facts_in_the_place_of_the_first_ones() {
        let declared = split_text(FILE).unwrap();
        let [(_, own), (name, twin)] = declared.as_slice() else { panic!("not two") };
        assert_eq!(name, "us/market/x");
        assert_eq!(
            facts(twin),
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
        assert_eq!(facts(own)[0], "tool: get_it");
        assert_eq!(facts(own).len(), 7);
        assert!(own.blocks[0].sql.contains("value_cr, 'value_cr'"));
    }

    #[test]
    fn whole_names_are_renamed_and_no_text_in_strings() {
        assert_eq!(
            split_text(FILE).unwrap()[1].1.blocks[0].sql,
            "SELECT value_b, 'value_cr' AS unit -- value_cr\nFROM orders WHERE $quarter = period_of AND symbol = $symbol"
        );
    }

    #[test]
    fn a_name_that_does_not_stand_in_the_file_is_an_error_at_its_line() {
        let error = split_text(&FILE.replace("value_cr = value_b", "valeu_cr = value_b")).unwrap_err();
        assert_eq!(
            (error[0].line, error[0].message.as_str()),
            (13, "the name `valeu_cr` is not in this file")
        );
    }

    /// Three operations: a route, and a second one in both markets.
    const ROUTES: &str = "-- Sectors.\n--\n-- All of them.\n-- tool: get_it\n-- own-param: fixed int\n-- param: limit int\n\
        -- also: explore/y, us/explore/y\n-- explore-title: Explorer: sectors\n-- explore-prose: Each,\n-- explore-prose: by week.\n-- explore-tool: none\n\
        -- india-param: cap_cr int\n-- us-param: cap_b int\n-- own-omit: cap\n-- own-when: always\n-- explore-when: list present\n\
        SELECT name, cap\nFROM sectors\nWHERE ($fixed IS NULL OR a)\n\
        -- explore-when: list absent\nSELECT count\nFROM sectors";

    #[test]
    fn a_second_route_has_its_own_words_params_and_selects() {
        let declared = split_text(ROUTES).unwrap();
        let names: Vec<_> = declared.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["market/x", "explore/y", "us/explore/y"]);
        let [own, second, third] = [0, 1, 2].map(|at| &declared[at].1);
        assert_eq!((own.title.as_str(), own.prose.as_str()), ("Sectors", "All of them."));
        assert_eq!((third.title.as_str(), third.prose.as_str()), ("Explorer: sectors", "Each, by week."));
        let others = |names: [&str; 2]| names.map(|name| format!("{UNSET}: {name} int"));
        let [cap_b, fixed] = others(["cap_b", "fixed"]);
        let [cap_cr, _] = others(["cap_cr", "fixed"]);
        assert_eq!(
            facts(own),
            [
                "tool: get_it", "param: fixed int", "param: limit int", "param: cap_cr int", "omit: cap",
                "when: always", &cap_b
            ]
        );
        assert_eq!(facts(third), ["tool: none", "param: limit int", "param: cap_b int", &fixed, &cap_cr]);
        let sql = |it: &QueryFile| it.blocks.iter().map(|block| block.sql.clone()).collect::<Vec<_>>();
        let listing = "SELECT name, cap\nFROM sectors\nWHERE ($fixed IS NULL OR a)";
        assert_eq!(sql(own), [listing]);
        assert_eq!(
            [sql(second), sql(third)],
            [["", listing, "SELECT count\nFROM sectors"], ["", listing, "SELECT count\nFROM sectors"]]
        );
    }

    #[test]
    fn a_line_of_sql_with_a_label_is_refused_at_its_place() {
        let line = |text: &str| split_text(text).map_err(|errors| errors[0].line).err();
        let sql = "FROM orders";
        for label in
            ["-- only us", "-- only india", "--only own, us", "-- all", "\n-- only us\n, prices\n-- all"]
        {
            let at = if label.starts_with('\n') { 17 } else { 16 };
            assert_eq!(line(&FILE.replace(sql, &format!("{sql} {label}\n"))), Some(at), "{label}");
        }
        let alone = "-- Title.\n-- tool: x\nSELECT a,\n       b -- only us\nFROM t";
        assert_eq!(line(alone), Some(4));
        let second = "-- Title.\n-- tool: x\n-- when: a absent\nSELECT a\n-- when: a present\nSELECT 1,\n  b -- only present\nFROM t";
        assert_eq!(line(second), Some(7));
        for comment in ["-- only us stocks", "-- only eligible ones", "-- all of them", "- -1"] {
            assert_eq!(line(&FILE.replace(sql, &format!("{sql} {comment}\n"))), None, "{comment}");
        }
    }

    #[test]
    fn names_and_labels_that_say_nothing_are_refused() {
        let refused = |text: &str| split_text(text).unwrap_err()[0].to_string();
        assert!(
            refused(&FILE.replace("also: us", "also: market/x"))
                .starts_with("api/market/x.sql:9: `also: market/x`")
        );
        for also in ["us, us", "us,", "../x y"] {
            let text = FILE.replace("also: us", &format!("also: {also}"));
            assert!(refused(&text).contains("adds nothing"), "{also}");
        }
    }
}
