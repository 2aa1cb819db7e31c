//! Holdings of US insiders before a transaction: forms state only the holdings after it.
//!
//! A form may have several transactions in one holding. The holdings after them are either stated line by line or, by many filers, on each
//! line for all of them; if the figures fit neither, the holding before is unknown.

use crate::formats::insider_forms::InsiderForm;

/// Securities are whole or have a few decimals; two counts closer than this are equal.
const EQUAL_COUNTS: f64 = 0.01;

/// Sets the holding before each transaction. Transactions of a submission are adjacent, in the order of the form.
pub(crate) fn set_held_before(forms: &mut [InsiderForm]) {
    for submission in
        forms.chunk_by_mut(|a, b| a.symbol == b.symbol && a.submission_key() == b.submission_key())
    {
        let mut holdings: Vec<Vec<usize>> = Vec::new();
        for at in 0..submission.len() {
            let key = submission.get(at).map(holding_key);
            let same = holdings
                .iter_mut()
                .find(|rows| rows.first().and_then(|first| submission.get(*first)).map(holding_key) == key);
            match same {
                Some(rows) => rows.push(at),
                None => holdings.push(vec![at]),
            }
        }
        for rows in holdings {
            let lines: Option<Vec<(f64, f64)>> =
                rows.iter().map(|at| submission.get(*at).and_then(change_and_after)).collect();
            let before = lines.map(|lines| holdings_before(&lines)).unwrap_or_default();
            for (at, before) in rows.into_iter().zip(before) {
                if let Some(form) = submission.get_mut(at) {
                    form.held_before = before;
                }
            }
        }
    }
}

/// Returns the key of a holding in its submission.
fn holding_key(form: &InsiderForm) -> (Option<&str>, Option<bool>) {
    (form.security.as_deref(), form.is_indirect)
}

/// Returns the change by a transaction, negative for a disposal, and the holding after it.
fn change_and_after(form: &InsiderForm) -> Option<(f64, f64)> {
    let change = if form.is_acquired? { form.shares } else { -form.shares };
    Some((change, form.held_after?))
}

/// Returns the holding before each transaction, from the changes and the stated holdings after them; `None` if it is unknown.
fn holdings_before(lines: &[(f64, f64)]) -> Vec<Option<f64>> {
    let held =
        |before: f64| Some(before).filter(|before| *before > -EQUAL_COUNTS).map(|before| before.max(0.0));
    let pairs = || lines.iter().zip(lines.iter().skip(1));
    let is_line_by_line =
        pairs().all(|((_, after), (change, next))| (after + change - next).abs() < EQUAL_COUNTS);
    let is_backwards =
        pairs().all(|((change, after), (_, next))| (next + change - after).abs() < EQUAL_COUNTS);
    if is_line_by_line || is_backwards {
        return lines.iter().map(|(change, after)| held(after - change)).collect();
    }
    let is_for_all = pairs().all(|((_, after), (_, next))| (after - next).abs() < EQUAL_COUNTS);
    let total_change: f64 = lines.iter().map(|(change, _)| change).sum();
    lines.iter().map(|(_, after)| if is_for_all { held(after - total_change) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use crate::sec::held_before::holdings_before;

    #[test]
    fn holdings_before_follow_from_those_after() {
        let of = |lines: &[(f64, f64)]| holdings_before(lines);
        assert_eq!(of(&[(-1200.0, 8800.0)]), [Some(10_000.0)]);
        // Sold 100, then 50, line by line; the same with the newest line first.
        assert_eq!(of(&[(-100.0, 900.0), (-50.0, 850.0)]), [Some(1000.0), Some(900.0)]);
        assert_eq!(of(&[(-50.0, 850.0), (-100.0, 900.0)]), [Some(900.0), Some(1000.0)]);
        // Both lines state the holding after all transactions.
        assert_eq!(of(&[(-100.0, 850.0), (-50.0, 850.0)]), [Some(1000.0), Some(1000.0)]);
        // The holdings fit neither reading; the holding before would be negative.
        assert_eq!(of(&[(-100.0, 850.0), (-50.0, 700.0)]), [None, None]);
        assert_eq!(of(&[(100.0, 40.0)]), [None]);
    }
}
