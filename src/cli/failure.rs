//! Prints a failure: the error and its causes, each text once.

/// The error and its causes. Some errors repeat their cause in their own words; it is not said again.
pub fn told(error: &anyhow::Error) -> String {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let cause = anyhow!("no field `nope`");
        let repeats =
            anyhow!("no field `nope`").context("schema error: no field `nope`").context("the query failed");
        assert_eq!(told(&repeats), "the query failed: schema error: no field `nope`");
        assert_eq!(told(&cause.context("the table `stocks`")), "the table `stocks`: no field `nope`");
        assert_eq!(told(&anyhow!("alone")), "alone");
    }
}
