//! Several operations, or two tables, declared by one file: `also:` names the others, which share its SQL.
//!
//! `also: us` declares the same for the second market: the route below `us/`, the table with the prefix `us_`. Any other name is a second
//! route of the operation, or a second table. Each declared item has two labels: its market (`india`, `us`), and `own` or, for another
//! name, its folder (`explore` for `explore/rotation`) or, in the same folder, its last part. The only item of a file has none.
//!
//! A fact whose key starts with a label (`us-tool`, `own-param`) belongs to the item with this label; `own-us-tool` to the one with both.
//! It replaces the shared fact of the same key and, for params, columns and wraps, of the same name; otherwise, and for `optional`, it is
//! added. `us-names` renames params and columns there (`period = quarter`) in SQL and in facts without that label; it renames whole names,
//! never text within strings.
//!
//! A line of SQL that ends in `-- only us` belongs to the item with this label, and so do all lines from a line `-- only us` to a line `--
//! all`. SELECTs with consecutive `when:` lines share SQL; there, the last word of a condition (`present`, `income`) is a label too.

use super::header::{Block, DeclarationError, HeaderFact, QueryFile};
use super::market::Market;

/// The second market; only this one can be.
const SECOND: &str = "us";
/// Marker before the labels of a line of SQL.
const ONLY: &str = "-- only ";
/// Marker after the lines of a label.
const ALL: &str = "-- all";
/// Label of the item that has the file's own name.
const OWN: &str = "own";

/// One of the items that a file declares.
struct Variant {
    name: String,
    labels: Vec<String>,
}

/// Splits a file into its declared items with their names: first the file's own (`name`); `second` is its name in the second market.
pub(super) fn split(
    source: &QueryFile,
    name: &str,
    second: &str,
) -> Result<Vec<(String, QueryFile)>, Vec<DeclarationError>> {
    let mut variants = vec![Variant::new(name, [name, second])];
    let also = source.blocks.iter().flat_map(|block| &block.facts).filter(|fact| fact.key == "also");
    for (fact, other) in also.flat_map(|fact| names(&fact.value).map(move |other| (fact, other))) {
        let variant = Variant::new(if other == SECOND { second } else { other }, [name, second]);
        let is_name = !other.is_empty() && other.chars().all(|c| is_of_name(c) || "-/".contains(c));
        if !is_name || variants.iter().any(|known| known.labels == variant.labels) {
            let message = format!(
                "`also: {other}` adds nothing; write `{SECOND}` in a file of the Indian market, or another name"
            );
            return Err(vec![source.error(fact.line, message)]);
        }
        variants.push(variant);
    }
    if let [alone] = variants.as_mut_slice() {
        alone.labels.clear();
    }
    stray_labels(source, &variants)?;
    variants
        .iter()
        .map(|variant| Ok((variant.name.clone(), variant.query_file(source, &variants)?)))
        .collect()
}

/// Refuses `-- only` with a label that no item of the file has.
fn stray_labels(source: &QueryFile, all: &[Variant]) -> Result<(), Vec<DeclarationError>> {
    let words = |block| all.iter().flat_map(move |variant| variant.words(block, all));
    let known: Vec<&str> = source.blocks.iter().flat_map(words).collect();
    for block in &source.blocks {
        let labels =
            block.sql.lines().filter_map(|line| line.split_once(ONLY)).flat_map(|(_, labels)| names(labels));
        if let Some(stray) = labels.into_iter().find(|label| !known.contains(label)) {
            let message = format!(
                "`{ONLY}{stray}` keeps no line: nothing that this file declares has the label `{stray}`"
            );
            return Err(vec![source.error(block.line, message)]);
        }
    }
    Ok(())
}

impl Variant {
    fn new(name: &str, own: [&str; 2]) -> Self {
        let is_second = name.starts_with("us/") || name.starts_with("us_");
        let market = if is_second { Market::Us } else { Market::India };
        let route = name.trim_start_matches("us/");
        let label = match route.split_once('/') {
            _ if own.contains(&name) => OWN,
            Some((folder, _)) if own.iter().all(|own| !own.starts_with(&format!("{folder}/"))) => folder,
            _ => route.rsplit('/').next().unwrap_or(route),
        };
        Self { name: name.to_owned(), labels: vec![market.word().to_owned(), label.replace('_', "-")] }
    }

    /// Returns the file as it declares this item alone.
    fn query_file(&self, source: &QueryFile, all: &[Self]) -> Result<QueryFile, Vec<DeclarationError>> {
        let mut file = source.clone();
        for block in &mut file.blocks {
            let words: Vec<&str> = self.words(block, all).collect();
            block.sql = kept_lines(&block.sql, &words);
        }
        self.rename(&mut file, source, all)?;
        let mut prose = Vec::new();
        for block in &mut file.blocks {
            let mut placed = Vec::new();
            for fact in std::mem::take(&mut block.facts) {
                let Some(key) = self.own_key(&fact, all).map(str::to_owned) else { continue };
                match key.as_str() {
                    "also" | "names" => {}
                    "title" => file.title = fact.value,
                    "prose" => prose.push(fact.value),
                    _ => place(&mut placed, key == fact.key, HeaderFact { key, ..fact }),
                }
            }
            block.facts = placed.into_iter().map(|(_, fact)| fact).collect();
        }
        if !prose.is_empty() {
            file.prose = prose.join(" ");
        }
        let mut is_header = true;
        file.blocks
            .retain(|block| std::mem::take(&mut is_header) || block.facts.iter().any(HeaderFact::is_when));
        Ok(file)
    }

    /// Applies its `names`, in all SQL and in facts without the label of these `names`.
    fn rename(
        &self,
        file: &mut QueryFile,
        source: &QueryFile,
        all: &[Self],
    ) -> Result<(), Vec<DeclarationError>> {
        let mut errors = Vec::new();
        let facts = source.blocks.iter().flat_map(|block| &block.facts);
        for fact in facts.filter(|fact| self.own_key(fact, all) == Some("names")) {
            let label = fact.key.trim_end_matches("names");
            let key = |fact: &HeaderFact| {
                let key = self.own_key(fact, all).filter(|_| !fact.key.starts_with(label));
                key.map(str::to_owned)
            };
            for pair in names(&fact.value) {
                let message = match pair.split_once('=').map(|(from, to)| (from.trim(), to.trim())) {
                    Some((from, to)) if !to.is_empty() && rename(file, from, to, key) => continue,
                    Some((from, to)) if !to.is_empty() => {
                        format!("the name `{from}` does not stand in this file")
                    }
                    _ => format!("`{pair}` is not `name = its name there`"),
                };
                errors.push(source.error(fact.line, message));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Returns the key of a fact without its labels; `None` if they belong to other items.
    fn own_key<'a>(&self, fact: &'a HeaderFact, all: &[Self]) -> Option<&'a str> {
        self.own_part(&fact.key, all)
    }

    /// Returns the key after its leading labels; each must be one of this item's.
    fn own_part<'a>(&self, key: &'a str, all: &[Self]) -> Option<&'a str> {
        let behind = |label: &String| key.strip_prefix(label.as_str())?.strip_prefix('-');
        match all.iter().flat_map(|variant| &variant.labels).find(|label| behind(label).is_some()) {
            Some(label) => self.own_part(behind(label).filter(|_| self.labels.contains(label))?, all),
            None => Some(key),
        }
    }

    /// Returns the labels that its lines of a block can have: its own, and the last words of the block's conditions.
    fn words<'a>(&'a self, block: &'a Block, all: &'a [Self]) -> impl Iterator<Item = &'a str> {
        let whens = block.facts.iter().filter(|fact| self.own_key(fact, all) == Some("when"));
        let conditions = whens.flat_map(|fact| fact.value.split(" and "));
        let last = conditions.filter_map(|condition| condition.split_whitespace().last());
        last.chain(self.labels.iter().map(String::as_str))
    }
}

/// Returns the lines of SQL that are shared or have one of these labels.
fn kept_lines(sql: &str, own: &[&str]) -> String {
    let is_own = |labels: &str| labels.is_empty() || names(labels).any(|label| own.contains(&label));
    let mut within = "";
    let mut kept = Vec::new();
    for line in sql.lines() {
        let (text, only) = line.split_once(ONLY).unwrap_or((line, ""));
        if line.trim() == ALL {
            within = "";
        } else if text.trim().is_empty() && !only.is_empty() {
            within = only;
        } else if is_own(within) && is_own(only) {
            kept.push(text.trim_end());
        }
    }
    kept.join("\n")
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// Adds a fact, or replaces its shared counterpart: the same key, and for params, columns and wraps the same name.
fn place(facts: &mut Vec<(bool, HeaderFact)>, is_shared: bool, fact: HeaderFact) {
    let name = |fact: &HeaderFact| match fact.key.as_str() {
        "param" | "column" | "wrap" => first_word(&fact.value).to_owned(),
        _ => String::new(),
    };
    let is_counterpart = |(shared, known): &&mut (bool, HeaderFact)| {
        *shared != is_shared && known.key == fact.key && name(known) == name(&fact)
    };
    match facts.iter_mut().find(is_counterpart) {
        // A labelled list is added to the shared one.
        Some(_) if fact.key == "optional" => facts.push((is_shared, fact)),
        Some(_) if is_shared => {}
        Some(known) => *known = (false, fact),
        None => facts.push((is_shared, fact)),
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Renames in all SQL and in facts about params and columns; returns true if the name occurred.
fn rename(file: &mut QueryFile, from: &str, to: &str, key: impl Fn(&HeaderFact) -> Option<String>) -> bool {
    let mut found = false;
    for block in &mut file.blocks {
        found |= renamed(&mut block.sql, from, to);
        for fact in &mut block.facts {
            found |= match key(fact).as_deref() {
                Some("param" | "column") => renamed_beside_type(&mut fact.value, from, to),
                Some("when" | "wrap" | "picture" | "key" | "sorted") => renamed(&mut fact.value, from, to),
                _ => false,
            };
        }
    }
    found
}

/// Renames in the line of a param or column, whose second word is its type: `period` may be both a name and a type.
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

/// Returns the length of a quoted text with its quotes, or of the rest if it does not end.
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
            (13, "the name `valeu_cr` does not stand in this file")
        );
    }

    /// Three operations: a route, and a second one in both markets.
    const ROUTES: &str = "-- Sectors.\n--\n-- All of them.\n-- tool: get_it\n-- own-param: fixed int\n-- param: limit int\n\
        -- also: explore/y, us/explore/y\n-- explore-title: Explorer: sectors\n-- explore-prose: Each,\n-- explore-prose: by week.\n-- explore-tool: none\n\
        -- india-param: cap_cr int\n-- us-param: cap_b int\n-- explore-when: list present\nSELECT name,\n       cap -- only explore\nFROM sectors\n\
        -- only own\nWHERE a\nAND b\n-- all\nORDER BY name\n\
        -- explore-when: list absent\nSELECT count -- only us\nFROM sectors";

    #[test]
    fn a_second_route_has_its_own_words_params_and_lines() {
        let declared = split_text(ROUTES).unwrap();
        let names: Vec<_> = declared.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["market/x", "explore/y", "us/explore/y"]);
        let [own, second, third] = [0, 1, 2].map(|at| &declared[at].1);
        assert_eq!((own.title.as_str(), own.prose.as_str()), ("Sectors", "All of them."));
        assert_eq!((third.title.as_str(), third.prose.as_str()), ("Explorer: sectors", "Each, by week."));
        assert_eq!(facts(own), ["tool: get_it", "param: fixed int", "param: limit int", "param: cap_cr int"]);
        assert_eq!(
            facts(third),
            ["tool: none", "param: limit int", "param: cap_b int", "when: list present"]
        );
        assert_eq!(own.blocks[0].sql, "SELECT name,\nFROM sectors\nWHERE a\nAND b\nORDER BY name");
        assert_eq!(second.blocks[0].sql, "SELECT name,\n       cap\nFROM sectors\nORDER BY name");
        assert_eq!([own, second, third].map(|it| it.blocks.len()), [1, 2, 2]);
        assert_eq!([second, third].map(|it| it.blocks[1].sql.lines().count()), [1, 2]);
    }

    #[test]
    fn conditions_one_below_the_other_share_the_sql_below_them() {
        let text = "-- T\n-- tool: x\n-- when: symbol absent\n-- when: symbol present and detail = full\n\
            SELECT a, -- only absent\n       b -- only full, absent\nFROM t";
        let sql: Vec<_> =
            split_text(text).unwrap()[0].1.blocks.iter().map(|block| block.sql.clone()).collect();
        assert_eq!(sql, ["SELECT a,\n       b\nFROM t", "       b\nFROM t"]);
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
        let stray = refused(&ROUTES.replace("only explore", "only z"));
        assert!(stray.starts_with("api/market/x.sql:15: ") && stray.contains("the label `z`"), "{stray}");
    }
}
