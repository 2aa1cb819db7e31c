//! The name of a file in a path below a market's folder, and the index or symbol in that name.

use crate::text::{dates, symbols};

/// Returns the last part of a path: the name of a file, or that of an archive's member after a `!`.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\', '!']).next().unwrap_or(path)
}

/// Returns the index of a list of its members: `NIFTY500` for `ind_nifty500list.csv`, `NIFTY50` for `ind_nifty50list_202604.csv`.
///
/// Text after `list` (a name, a date) is dropped, as are `ind`, separators and, without `list`, a date.
pub fn index_name(file: &str) -> String {
    let stem = file.split('.').next().unwrap_or(file).to_uppercase();
    let stem = stem.strip_prefix("IND_").unwrap_or(&stem);
    let name = match stem.find("LIST") {
        Some(end) if end > 0 => stem.get(..end).unwrap_or(stem),
        _ => stem.trim_end_matches(|c: char| "_- ".contains(c)),
    };
    let words =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| dates::in_name(word).is_none());
    words.collect()
}

/// Returns the symbol that is a file's name; `None` unless it has one to five letters, with an optional share class.
pub fn symbol_name(file: &str) -> Option<String> {
    let mut stem = file;
    for ending in [".gz", ".csv", ".txt", ".json", ".parquet"] {
        let cut = stem.len().checked_sub(ending.len()).and_then(|end| stem.split_at_checked(end));
        stem = cut.filter(|(_, tail)| tail.eq_ignore_ascii_case(ending)).map_or(stem, |(head, _)| head);
    }
    let symbol = symbols::normalize_us_symbol(stem);
    let (root, class) = symbol.split_once('.').unwrap_or((&symbol, "A"));
    let is_word = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    (is_word(root, 5) && is_word(class, 2)).then_some(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_the_stem_without_list_and_what_follows() {
        for (file, index) in [
            ("ind_niftymicrocap250_list.csv", "NIFTYMICROCAP250"),
            ("ind_nifty500list.csv", "NIFTY500"),
            ("ind_niftytotalmarket_list_xyz_202608.csv", "NIFTYTOTALMARKET"),
            ("nifty750list.csv", "NIFTY750"),
            ("ind_niftyfinancialservices25_50list.csv", "NIFTYFINANCIALSERVICES2550"),
            ("NIFTY50_20260815.csv", "NIFTY50"),
        ] {
            assert_eq!(index_name(file), index);
        }
    }

    #[test]
    fn a_file_may_be_named_after_its_symbol() {
        for (file, symbol) in [("aapl.us.txt", "AAPL"), ("BRK-B.csv.gz", "BRK.B"), ("f.us.csv", "F")] {
            assert_eq!(symbol_name(file).as_deref(), Some(symbol), "{file}");
        }
        for file in ["^spx.txt", "sp500_prices.csv", "2026-01-02.csv", "prices-all.csv", ".csv"] {
            assert_eq!(symbol_name(file), None, "{file}");
        }
    }
}
