//! Measuring, for benches: how long one call takes, over many calls.
//!
//! Ways are measured in turns, a call each, so that whatever else the machine does falls on all of them alike.

/// How much is measured.
pub(crate) mod scale;

use std::ops::AddAssign;
use std::time::Instant;

/// Times of one way to answer, in microseconds.
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

    /// The time that this share of the calls did not exceed.
    pub(crate) fn quantile(&mut self, share: f64) -> f64 {
        self.sorted.sort_by(f64::total_cmp);
        let at = (self.sorted.len() as f64 * share) as usize;
        self.sorted.get(at).or(self.sorted.last()).copied().unwrap_or(f64::NAN)
    }
}

impl AddAssign for Times {
    /// Adds those of another caller.
    fn add_assign(&mut self, other: Self) {
        self.sorted.extend(other.sorted);
    }
}
