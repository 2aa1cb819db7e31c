//! Maps a company of a report to its symbol: by its CIK, or by its name on the lists.
//!
//! Names match if they have the same words, whatever the case, the punctuation, the spaces between initials and the short forms of
//! `Limited`, `Corporation` and the like. A name belongs to the company that had it when the report was made. A name that
//! two companies share matches neither. Similar spellings are never guessed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{Days, NaiveDate};

use crate::ciks::Ciks;
use crate::domain::former_name::FormerName;
use crate::statements::row::CompanyRef;

/// Lookup of companies by CIK and by name.
pub(crate) struct CompanyLookup<'a> {
    ciks: &'a Ciks,
    /// Keyed by the normalised name.
    by_name: HashMap<String, NameHolders<'a>>,
}

/// The symbols of companies with a name, and of those that formerly had it, by the day on which they changed their name.
#[derive(Debug, Default)]
struct NameHolders<'a> {
    current: BTreeSet<&'a str>,
    former: BTreeMap<NaiveDate, BTreeSet<&'a str>>,
}

impl NameHolders<'_> {
    /// Returns the symbol that had the name on a day, else the last symbol that had it; `None` if several had it.
    fn symbol_on(&self, day: NaiveDate) -> Option<&str> {
        let later = day.checked_add_days(Days::new(1)).unwrap_or(day);
        let former = self.former.range(later..).map(|(_, symbols)| symbols).next();
        let current = Some(&self.current).filter(|symbols| !symbols.is_empty());
        let symbols = former.or(current).or_else(|| self.former.values().next_back())?;
        symbols.first().copied().filter(|_| symbols.len() == 1)
    }
}

impl<'a> CompanyLookup<'a> {
    /// Builds the lookup; `names` has the names and symbols in lists of companies.
    pub(crate) fn new(
        ciks: &'a Ciks,
        names: impl Iterator<Item = (&'a str, &'a str)>,
        former: &'a [FormerName],
    ) -> Self {
        let mut by_name: HashMap<String, NameHolders<'a>> = HashMap::new();
        for (name, symbol) in names {
            by_name.entry(plain_name(name)).or_default().current.insert(symbol);
        }
        for FormerName { name, symbol, until } in former {
            let holders = by_name.entry(plain_name(name)).or_default();
            holders.former.entry(*until).or_default().insert(symbol);
        }
        Self { ciks, by_name }
    }

    /// Returns the symbol of a company whose newest figure is of the day `newest`.
    pub(crate) fn symbol(&self, who: &CompanyRef, newest: NaiveDate) -> Option<String> {
        match who {
            CompanyRef::Symbol(symbol) => Some(symbol.clone()),
            CompanyRef::Cik(cik) => self.ciks.symbol(*cik).map(str::to_owned),
            CompanyRef::Name(name) => {
                self.by_name.get(&plain_name(name))?.symbol_on(newest).map(str::to_owned)
            }
        }
    }
}

fn plain_name(name: &str) -> String {
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
    // Lists differ in the plural: `Pharmaceutical Industries`, `Pharmaceuticals Industries`; and in initials: `P I`, `PI`.
    let mut plain: Vec<String> = Vec::new();
    let mut after_initial = false;
    for word in words {
        let is_initial = word.chars().nth(1).is_none();
        match plain.last_mut() {
            Some(initials) if is_initial && after_initial => initials.push_str(word),
            _ if word.len() > 4 => plain.push(word.trim_end_matches('s').to_owned()),
            _ => plain.push(word.to_owned()),
        }
        after_initial = is_initial;
    }
    plain.join(" ")
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
            ("P I INDUSTRIES LTD", "PI Industries Ltd."),
        ] {
            assert_eq!(plain_name(one), plain_name(other));
        }
        assert_ne!(plain_name("P I INDUSTRIES"), plain_name("P INDUSTRIES I"));
    }

    #[test]
    fn a_name_is_of_the_company_that_had_it_then() {
        let day = |year| NaiveDate::from_ymd_opt(year, 3, 31).unwrap();
        let ciks = Ciks::default();
        let lists = [("Arohi Limited", "AROHI"), ("Bela Limited", "BELA"), ("Bela Ltd", "BELA2")];
        // The carmaker gave its name to the company that was split off from it.
        let former =
            [("Arohi Ltd.", "CHARU", 2025), ("Bela Ltd", "BELA", 2003), ("Old Deepa Limited", "DEEPA", 2010)];
        let former = former.map(|(name, symbol, year)| FormerName {
            name: name.into(),
            symbol: symbol.into(),
            until: day(year),
        });
        let companies = CompanyLookup::new(&ciks, lists.into_iter(), &former);
        let symbol = |name: &str, year| companies.symbol(&CompanyRef::Name(name.to_owned()), day(year));
        assert_eq!(symbol("AROHI LTD", 2021).as_deref(), Some("CHARU"));
        assert_eq!(symbol("AROHI LTD", 2025).as_deref(), Some("AROHI"), "from the day on it is the other's");
        assert_eq!(symbol("BELA LTD", 2002).as_deref(), Some("BELA"));
        assert_eq!(symbol("OLD DEEPA LTD", 2021).as_deref(), Some("DEEPA"), "nobody else has had the name");
        assert_eq!(
            (symbol("BELA LTD", 2021), symbol("ELA LTD", 2021)),
            (None, None),
            "two have it, nobody has it"
        );
    }
}
