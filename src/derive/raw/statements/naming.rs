//! Which symbol a company of a report has: by its number at the SEC, or by its name on the lists.
//!
//! Names agree when they are the same words, whatever the case, the signs and the short forms of `Limited`, `Corporation` and
//! their like. A name that two companies share names neither. Nothing is guessed from similar spellings.

use std::collections::HashMap;

use crate::derive::raw::ciks::Ciks;
use crate::derive::raw::statements::row::CompanyRef;

/// Companies by name and number.
pub(crate) struct Companies<'a> {
    ciks: &'a Ciks,
    /// By plain name; `None` where two symbols have it.
    by_name: HashMap<String, Option<String>>,
}

impl<'a> Companies<'a> {
    /// `named` are names and symbols of lists.
    pub(crate) fn new<'b>(ciks: &'a Ciks, named: impl Iterator<Item = (&'b str, &'b str)>) -> Self {
        let mut by_name: HashMap<String, Option<String>> = HashMap::new();
        for (name, symbol) in named {
            let one = by_name.entry(plain(name)).or_insert_with(|| Some(symbol.to_owned()));
            if one.as_deref() != Some(symbol) {
                *one = None;
            }
        }
        Self { ciks, by_name }
    }

    /// The symbol of a company.
    pub(crate) fn symbol(&self, who: &CompanyRef) -> Option<String> {
        match who {
            CompanyRef::Symbol(symbol) => Some(symbol.clone()),
            CompanyRef::Cik(cik) => self.ciks.symbol(*cik).map(str::to_owned),
            CompanyRef::Name(name) => self.by_name.get(&plain(name)).cloned().flatten(),
        }
    }
}

/// A name in plain words.
fn plain(name: &str) -> String {
    let letters: String = name
        .chars()
        .filter(|c| !matches!(c, '\'' | '.' | '’'))
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let words = letters.split_whitespace().filter_map(|word| match word {
        "ltd" | "limited" | "the" | "and" | "inc" | "plc" => None,
        "corpn" | "corp" => Some("corporation"),
        "co" => Some("company"),
        "inds" => Some("industries"),
        "intl" => Some("international"),
        word => Some(word),
    });
    // Lists differ in the plural: `Pharmaceutical Industries`, `Pharmaceuticals Industries`.
    words
        .map(|word| if word.len() > 4 { word.trim_end_matches('s') } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_in_their_words() {
        for (one, other) in [
            ("AROHI & BELA LTD", "Arohi and Bela Limited"),
            ("CHARU OIL CORPN LTD", "Charu Oil Corporation Limited"),
            ("DR DEEPAS LABS LTD", "Dr. Deepa's Labs Ltd."),
            ("ELA PHARMACEUTICALS INDUSTRIES LTD", "Ela Pharmaceutical Industries Limited"),
        ] {
            assert_eq!(plain(one), plain(other));
        }
        let ciks = Ciks::default();
        let lists = [("Arohi Limited", "AROHI"), ("Bela Limited", "BELA"), ("Bela Ltd", "BELA2")];
        let companies = Companies::new(&ciks, lists.into_iter());
        let symbol = |name: &str| companies.symbol(&CompanyRef::Name(name.to_owned()));
        assert_eq!(symbol("AROHI LTD").as_deref(), Some("AROHI"));
        assert_eq!((symbol("BELA LTD"), symbol("ELA LTD")), (None, None), "two have the name, nobody has it");
    }
}
