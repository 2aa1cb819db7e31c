//! Measurement of single calls, for benches.
//!
//! Alternatives are measured in turns of one call each, so that other work on the machine affects all of them alike.

/// The size of a run.
pub(crate) mod scale;

use std::ops::AddAssign;
use std::time::Instant;

/// Times of one alternative, in microseconds.
#[derive(Debug, Default)]
pub(crate) struct Times {
    sorted: Vec<f64>,
}

impl Times {
    /// Times one call.
    pub(crate) async fn call<T>(
        &mut self,
        run: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        let began = Instant::now();
        let result = run.await?;
        self.sorted.push(began.elapsed().as_secs_f64() * 1e6);
        Ok(result)
    }

    /// Returns the time that this share of the calls did not exceed.
    pub(crate) fn quantile(&mut self, share: f64) -> f64 {
        self.sorted.sort_by(f64::total_cmp);
        let at = (self.sorted.len() as f64 * share) as usize;
        self.sorted.get(at).or(self.sorted.last()).copied().unwrap_or(f64::NAN)
    }
}

impl AddAssign for Times {
    /// Adds the times of another caller.
    fn add_assign(&mut self, other: Self) {
        self.sorted.extend(other.sorted);
    }
}
