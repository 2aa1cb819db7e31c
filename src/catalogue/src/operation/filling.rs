//! `filled-by:` - the raw files that fill a source table, as declared in the table's file.
//!
//! A line is `"FORMAT" [india|us] [fetch=SOURCE,...] [page=URL]`: the label of a raw format, the sources that fetch such files, and the
//! page where a person downloads them. The operator writes files that have neither a source nor a page. Formats and sources are not
//! validated here.

use super::market::Market;

/// The raw files of one format that fill a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filling {
    /// Label of the format.
    pub format: String,
    /// Market of the files; `None` for both.
    pub market: Option<Market>,
    /// Names of the sources that fetch the files; empty if none does.
    pub sources: Vec<String>,
    /// URL of the page where a person downloads the files; `None` if there is no such page.
    pub page: Option<String>,
}

impl Filling {
    /// Parses the text after `filled-by:`.
    ///
    /// # Errors
    /// A message about the fault.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (format, rest) = text
            .strip_prefix('"')
            .and_then(|text| text.split_once('"'))
            .filter(|(format, _)| !format.is_empty())
            .ok_or("`filled-by:` starts with the label of a format in quotation marks")?;
        let mut filling = Self { format: format.to_owned(), market: None, sources: Vec::new(), page: None };
        for word in rest.split_whitespace() {
            match word.split_once('=') {
                None => filling.market = Some(word.parse()?),
                Some(("fetch", names)) => filling.sources = names.split(',').map(str::to_owned).collect(),
                Some(("page", url)) if url.starts_with("https://") => filling.page = Some(url.to_owned()),
                Some(("page", url)) => return Err(format!("`{url}` is not the https address of a page")),
                Some((key, _)) => {
                    return Err(format!("`{key}` is not a key here; the keys are fetch and page"));
                }
            }
        }
        Ok(filling)
    }

    /// Returns true if a market has such files.
    pub fn is_in(&self, market: Market) -> bool {
        self.market.is_none_or(|only| only == market)
    }

    /// Describes the files and how to get them.
    pub fn words(&self, market: Market) -> String {
        let fetched =
            self.sources.first().map(|source| format!("`parquote fetch {market} --source {source}`"));
        let by_hand = self.page.as_ref().map(|page| format!("by hand from {page}"));
        let ways: Vec<String> = fetched.into_iter().chain(by_hand).collect();
        let format = &self.format;
        if ways.is_empty() {
            format!("{format} (your own)")
        } else {
            format!("{format} ({})", ways.join(", or "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_the_format_the_market_the_sources_and_the_page() {
        let read = Filling::parse("\"price bands\" india fetch=a,b page=https://x.example/y").unwrap();
        assert_eq!((read.format.as_str(), read.market), ("price bands", Some(Market::India)));
        assert_eq!(
            (read.sources, read.page.as_deref()),
            (vec!["a".into(), "b".into()], Some("https://x.example/y"))
        );
        for (wrong, expected) in [
            ("price bands", "starts with the label"),
            ("\"x\" mars", "mars"),
            ("\"x\" by=hand", "`by` is not a key here; the keys are fetch and page"),
            ("\"x\" page=http://x", "`http://x` is not the https address"),
        ] {
            let message = Filling::parse(wrong).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
