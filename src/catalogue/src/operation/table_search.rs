//! Search of tables by words, for a model that looks for a table, and for a SELECT that names a table that does not exist.

use super::likeness::nearest;
use super::table_file::Table;

/// Maximum number of tables in a result.
const MOST_TABLES: usize = 5;

/// Returns the tables whose name and title have all of these words, at least one of them in the name; the best first.
pub fn tables_about<'a>(words: &str, tables: impl IntoIterator<Item = &'a Table>) -> Vec<&'a Table> {
    let query = stems(words);
    rank_tables(&query, tables, |fit| fit.in_name > 0 && fit.is_whole)
}

/// Returns the tables that an unknown name probably means: tables with one of its words in their name, else the table with the most similar
/// name.
pub fn tables_near<'a>(name: &str, tables: &[&'a Table]) -> Vec<&'a Table> {
    let tables_with_word = rank_tables(&stems(name), tables.iter().copied(), |fit| fit.in_name > 0);
    if !tables_with_word.is_empty() {
        return tables_with_word;
    }
    let near = nearest(name, tables.iter().map(|table| table.name.as_str()));
    near.and_then(|near| tables.iter().find(|table| table.name == near)).into_iter().copied().collect()
}

/// The result of comparing the words of a search with a table.
struct TableFit {
    /// Number of the words that the name has.
    in_name: usize,
    /// True if the name and the title have all words.
    is_whole: bool,
}

fn rank_tables<'a>(
    query: &[String],
    tables: impl IntoIterator<Item = &'a Table>,
    is_match: impl Fn(&TableFit) -> bool,
) -> Vec<&'a Table> {
    let mut ranked: Vec<(usize, usize, &Table)> = Vec::new();
    for table in tables {
        let (name, title) = (stems(&table.name), stems(&table.title));
        let in_name = query.iter().filter(|word| name.contains(word)).count();
        let is_whole = query.iter().all(|word| name.contains(word) || title.contains(word));
        if is_match(&TableFit { in_name, is_whole }) {
            // The last word of a name describes the rows: the rows of `daily_prices` are prices.
            let is_last = name.last().is_some_and(|last| query.contains(last));
            let score = 4 * in_name + 2 * usize::from(is_last) + usize::from(is_whole);
            ranked.push((score, name.len(), table));
        }
    }
    ranked.sort_by(|a, b| (b.0, a.1, &a.2.name).cmp(&(a.0, b.1, &b.2.name)));
    ranked.into_iter().take(MOST_TABLES).map(|(_, _, table)| table).collect()
}

/// Splits a text into lower-case words without a plural ending.
fn stems(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let stem = |word: String| match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    };
    words.map(|word| stem(word.to_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Catalogue, Market};
    use super::*;

    fn names(found: &[&Table]) -> Vec<String> {
        found.iter().map(|table| table.name.clone()).collect()
    }

    #[test]
    fn tables_are_found_by_the_words_of_their_names_and_titles() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let all: Vec<&Table> = catalogue.tables_in(Market::India).collect();
        let near = |name: &str| names(&tables_near(name, &all));
        // Whole words come before spelling: `price_jumps` is spelt more like `prices`.
        assert_eq!(near("prices")[0], "daily_prices");
        assert_eq!(near("income_statement")[0], "statements");
        assert_eq!(near("stoks"), ["stocks"]);
        assert_eq!(near("qqqq"), [""; 0]);
        let about = |words: &str| names(&tables_about(words, all.iter().copied()));
        assert!(about("insider trades").contains(&"insider_trades".to_owned()));
        assert_eq!(about("insider cheese"), [""; 0]);
        assert_eq!(about(""), [""; 0]);
    }
}
