//! The limits of a caller's SELECT by tier, and the price of its work.

use std::time::Duration;

use parquote_catalogue::operation::Tier;
use parquote_engine::caller_select::SelectLimits;

const MIB: usize = 1 << 20;

/// Processor time that costs one request, in addition to that of the call.
const TIME_OF_ONE_REQUEST: Duration = Duration::from_millis(200);

/// Returns the limits of one SELECT, and the maximum number of its rows.
pub(super) const fn limits(tier: Tier) -> (SelectLimits, usize) {
    match tier {
        Tier::ApiMax => {
            (SelectLimits { time: Duration::from_secs(5), memory: 64 * MIB, answer: 8 * MIB }, 10_000)
        }
        _ => (SelectLimits { time: Duration::from_secs(2), memory: 32 * MIB, answer: 2 * MIB }, 1_000),
    }
}

/// Returns the price of processor time in requests, in addition to that of the call: one request for each full 200 ms.
pub fn cost_of_work(spent: Duration) -> u32 {
    u32::try_from(spent.as_millis() / TIME_OF_ONE_REQUEST.as_millis()).unwrap_or(u32::MAX)
}

/// Returns the maximum price of one SELECT of a tier in requests, in addition to that of the call.
pub fn most_cost_of_work(tier: Tier) -> u32 {
    cost_of_work(limits(tier).0.time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_by_the_time_that_it_takes() {
        let costs = [0, 199, 200, 999, 5_000].map(|ms| cost_of_work(Duration::from_millis(ms)));
        assert_eq!(costs, [0, 0, 1, 4, 25]);
        assert_eq!(Tier::ALL.map(most_cost_of_work), [10, 10, 10, 10, 25]);
    }
}
