//! What the exchange's words for a corporate action mean: `FV SPLT FRM RS 10 TO RS 2`, `BONUS 1:1`, `INTDIV - RS 5 PER SH`.
//!
//! The words are cut short in many ways; only the few that say a kind or a ratio are looked for. A purpose that names a split
//! or a bonus without a ratio that can be read has no factor.

/// What a corporate action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventKind {
    /// A split of the face value, or shares made one.
    Split,
    /// Bonus shares.
    Bonus,
    /// An offer of new shares to shareholders.
    Rights,
    /// The company buys its shares back.
    Buyback,
    /// Companies become one or part: mergers, demergers, schemes of arrangement.
    Merger,
    /// Anything else: dividends, meetings, interest.
    Other,
}

impl EventKind {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Bonus => "bonus",
            Self::Rights => "rights",
            Self::Buyback => "buyback",
            Self::Merger => "merger",
            Self::Other => "other",
        }
    }
}

const SPLIT: [&str; 5] = ["SPLIT", "SPLT", "SUB-DIV", "SUBDIV", "SUB DIV"];
const CONSOLIDATION: [&str; 1] = ["CONSOL"];
/// A bonus of these makes no shares.
const NO_SHARES: [&str; 6] = ["DEBENTURE", "NCD", "NCRPS", "PREF", "DEB ", "CRPS"];
const MERGER: [&str; 7] =
    ["MERGER", "AMALGAM", "ARRANGEMENT", "ARRNGMNT", "SPIN OFF", "SPIN-OFF", "HIVE OFF"];

/// The kind of action that a purpose says. Of several the first of split, bonus, rights, buyback, merger counts.
pub(crate) fn kind(purpose: &str) -> EventKind {
    let text = purpose.to_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&SPLIT) || has(&CONSOLIDATION) {
        EventKind::Split
    } else if has(&["BONUS"]) {
        EventKind::Bonus
    } else if has(&["RIGHTS", "RGTS", "RIGHT ISSUE"]) {
        EventKind::Rights
    } else if has(&["BUY BACK", "BUYBACK", "BUY-BACK"]) {
        EventKind::Buyback
    } else if has(&MERGER) {
        EventKind::Merger
    } else {
        EventKind::Other
    }
}

/// What the splits and bonuses of a purpose multiply earlier prices by.
pub(crate) fn factor(purpose: &str) -> Option<f64> {
    let text = purpose.to_uppercase();
    let (split, bonus) = (split(&text), bonus(&text));
    let factor = match (split, bonus) {
        (None, None) => return None,
        (split, bonus) => split.unwrap_or(1.0) * bonus.unwrap_or(1.0),
    };
    // Anything beyond is a misprint.
    (1e-3..=1e3).contains(&factor).then_some(factor).filter(|factor| (factor - 1.0).abs() > f64::EPSILON)
}

/// New over old face value: both are the first figures behind the word.
fn split(text: &str) -> Option<f64> {
    let tail = SPLIT.iter().chain(&CONSOLIDATION).find_map(|word| text.split_once(word))?.1;
    let (before, rest) = figure(tail)?;
    let (after, rest) = figure(rest)?;
    let is_ratio = rest.is_empty() && tail.contains(':');
    (before > 0.0 && after > 0.0 && !is_ratio).then_some(after / before)
}

/// Old over all shares: a bonus `a:b` gives `a` new shares for `b` old ones.
fn bonus(text: &str) -> Option<f64> {
    let (_, tail) = text.split_once("BONUS")?;
    if NO_SHARES.iter().any(|word| tail.contains(word)) {
        return None;
    }
    let (new, rest) = figure(tail)?;
    let (old, _) = figure(rest.trim_start().strip_prefix(':')?)?;
    (new > 0.0 && old > 0.0).then_some(old / (new + old))
}

/// The first figure of a text and what follows it.
fn figure(text: &str) -> Option<(f64, &str)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let tail = text.get(start..)?;
    let end = tail.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(tail.len());
    let (digits, rest) = tail.split_at_checked(end)?;
    Some((digits.trim_end_matches('.').parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_read_from_words() {
        let near = |purpose: &str, expected: f64| {
            let found = factor(purpose).unwrap_or(f64::NAN);
            assert!((found - expected).abs() < 1e-12, "{purpose}: {found}");
        };
        near("FACE VALUE SPLIT FROM RS.10 TO RS.2", 0.2);
        near("FV SPLT FRM RS 10 TO RS 2", 0.2);
        near("FVSPLT FRM RS 10 TO RS 5", 0.5);
        near("Face Value Split (Sub-Division) - From Rs 10/- Per Share To Re 1/- Per Share", 0.1);
        near("FV SPLIT RS 5 TO RS 2.50", 0.5);
        near("CONSOLIDATION FROM RE 1 TO RS 10", 10.0);
        near("BONUS 1:1", 0.5);
        near("BONUS- 3:2", 0.4);
        near("AGM/DIV - RS 2 PER SH/BONUS 1 : 2", 2.0 / 3.0);
        near("FVSPLT FRM RS 2 TO RE 1/BONUS 4:1", 0.1);
        for none in [
            "INTDIV - RS 5 PER SH",
            "RIGHTS 45:301@PRM RS 290",
            "BONUS NCRPS 4:1",
            "BONUS",
            "FV SPLIT",
            "FV SPLIT 1:5",
            "DEMERGER",
        ] {
            assert_eq!(factor(none), None, "{none}");
        }
    }

    #[test]
    fn kinds_are_read_from_words() {
        for (purpose, expected) in [
            ("FVSPLT FRM RS 10 TO RS 5", EventKind::Split),
            ("BONUS 1:1", EventKind::Bonus),
            ("RIGHTS 45:301@PRM RS 290", EventKind::Rights),
            ("BUY BACK", EventKind::Buyback),
            ("DEMERGER", EventKind::Merger),
            ("SCHEME OF ARRANGEMENT", EventKind::Merger),
            ("INTDIV - RS 0.35 PER SH", EventKind::Other),
            ("CAP RED", EventKind::Other),
        ] {
            assert_eq!(kind(purpose), expected, "{purpose}");
        }
    }
}
