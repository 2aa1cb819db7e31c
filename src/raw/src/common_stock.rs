//! Tells US common stock from other listings by symbol and name.

/// Returns true if a listing is common stock or an ADR by its symbol and name.
///
/// Units of partnerships ("Common Units") count, as they are their common equity; so do ADRs, whatever they represent.
pub(crate) fn is_common_stock(symbol: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let ends_as_right = words.last() == Some(&"right") || has(&["rights"]);
    if has(&["etf", "etfs", "etn", "etns", "warrant", "warrants"]) || ends_as_right {
        return false;
    }
    if name.contains("american depos") || name.ends_with(" ads") || has(&["adr", "adrs"]) {
        return true;
    }
    let units = has(&["unit", "units"]) && !name.contains("common unit") && !name.contains("partner");
    let debt = has(&["note", "notes", "debenture", "debentures", "bond", "bonds"])
        && (name.contains('%') || has(&["due"]));
    let preferred = symbol.contains('^') || has(&["preferred", "preference"]);
    !(units || preferred || debt || has(&["notes", "debentures"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_common_stock() {
        for name in [
            "Inventia Inc. Common Stock",
            "Orbital Holdings plc American Depositary Shares each representing one preferred share",
            "Pipelines L.P. Common Units representing Limited Partner Interests",
            "United Rightsmith Corporation Class A Common Stock",
            "Notewell Trust Shares of Beneficial Interest",
        ] {
            assert!(is_common_stock("AAA", name), "{name}");
        }
        for name in [
            "Inventia Acquisition Corp. Unit",
            "Inventia Acquisition Corp. Units, each consisting of one share and one warrant",
            "Inventia Acquisition Corp. Warrant",
            "Inventia Acquisition Corp. Rights",
            "Inventia Inc. 6.25% Series A Preferred Stock",
            "Inventia Inc. Depositary Shares, each a share of Preferred Stock",
            "Inventia Inc. 7.75% Notes due 2030",
            "Global Widgets ETF",
        ] {
            assert!(!is_common_stock("AAA", name), "{name}");
        }
        assert!(!is_common_stock("AAA^B", "Inventia Inc."));
    }
}
