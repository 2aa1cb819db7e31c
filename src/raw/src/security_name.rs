//! Extracts the name of a company from that of its security: US listings name the security, `Orbital Inc. Class A Common Stock`. Also
//! detects the names of funds.

/// Beginnings of phrases for a kind of security, in lower case.
const SECURITIES: [&str; 14] = [
    "common stock", "common share", "common unit", "ordinary share", "capital stock", "voting share",
    "voting common", "subordinate voting", "american depos", "global depos", "depositary share",
    "shares of beneficial", "new york registry", "registered share",
];

/// Returns the name of the company; the whole name if it names no security.
pub(crate) fn company_name(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let securities = SECURITIES.iter().filter_map(|words| lower.find(words));
    let Some(start) = securities.chain(class_position(&lower)).min() else { return name };
    let company = name.get(..start).unwrap_or(name).trim_end_matches([' ', ',', '-']);
    let company = company.strip_suffix(" New").unwrap_or(company);
    if company.is_empty() { name } else { company }
}

/// Returns the byte position of `class a` or `series a`, the word and one letter.
fn class_position(lower: &str) -> Option<usize> {
    let starts = lower.match_indices(" class ").chain(lower.match_indices(" series "));
    let is_letter = |rest: &str| {
        let mut letters = rest.chars();
        letters.next().is_some_and(|letter| letter.is_ascii_lowercase())
            && letters.next().is_none_or(|next| !next.is_alphanumeric())
    };
    let of_letter = starts.filter(|(at, word)| lower.get(at + word.len()..).is_some_and(is_letter));
    of_letter.map(|(at, _)| at).min()
}

/// Returns true if a name is that of a fund: `AXISAMC - AXISGOLD`, `TATA NIFTY PRIVATE BANK EXCHANGE TRADED FUND`.
pub(crate) fn is_name_of_fund(name: &str) -> bool {
    let name = name.to_uppercase();
    ["AMC - ", "AAML - ", "MUTUAL FUND", "MF - ", "TRADED FUND"].iter().any(|words| name.contains(words))
        || name.split_whitespace().any(|word| word == "ETF")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_companies() {
        for (security, company) in [
            ("Inventia Corporation Common Stock", "Inventia Corporation"),
            ("Orbital Holdings PLC Ordinary Shares (Ireland)", "Orbital Holdings PLC"),
            ("Orbital Inc. Class A Common Stock", "Orbital Inc."),
            ("Orbital Inc. - Series B Orbital Racing Common Stock", "Orbital Inc."),
            ("Gizmo Company (The) Common Stock (DE)", "Gizmo Company (The)"),
            ("Gizmo Incorporated (Delaware)Common Stock REIT", "Gizmo Incorporated (Delaware)"),
            ("Gizmo Group Inc. New Common Stock", "Gizmo Group Inc."),
            ("Widgets plc, American Depositary Shares, each representing one share", "Widgets plc"),
            ("Notewell Trust Shares of Beneficial Interest", "Notewell Trust"),
            ("World Class Actions Inc.", "World Class Actions Inc."),
            ("Gizmo Inc.", "Gizmo Inc."),
            ("Common Stock", "Common Stock"),
        ] {
            assert_eq!(company_name(security), company);
        }
    }

    #[test]
    fn names_tell_funds() {
        assert!(
            is_name_of_fund("TATAAML - NPBET")
                && is_name_of_fund("AxisAMC - AXISVALUE")
                && is_name_of_fund("Kotak Mutual Fund")
        );
        assert!(
            !is_name_of_fund("HDFC Asset Management Company Limited") && !is_name_of_fund("CAMLIN FINE - RE")
        );
    }
}
