//! How much time of the processor a piece of work takes, whatever else the machine does meanwhile.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

/// The time that work took so far; a clone reads the same.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessorTime(Arc<AtomicU64>);

impl ProcessorTime {
    /// So much so far.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    /// Does work whose time is added here, turn by turn.
    pub(super) async fn of<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        std::future::poll_fn(|context| {
            let began = ThreadTime::now();
            let poll = work.as_mut().poll(context);
            self.0.fetch_add(began.until_now(), Ordering::Relaxed);
            if poll.is_ready() { poll } else { Poll::Pending }
        })
        .await
    }
}

/// A moment by the clock of this thread's time on a processor; where the system does not tell it, by the wall clock.
enum ThreadTime {
    Processor(u64),
    Wall(Instant),
}

impl ThreadTime {
    fn now() -> Self {
        on_processor().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    /// Nanoseconds since then.
    fn until_now(&self) -> u64 {
        match self {
            Self::Processor(began) => on_processor().unwrap_or(*began).saturating_sub(*began),
            Self::Wall(began) => began.elapsed().as_nanos() as u64,
        }
    }
}

/// Nanoseconds that this thread has run, as Linux tells them.
fn on_processor() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_takes_none_and_computing_does() {
        let time = ProcessorTime::default();
        time.of(tokio::time::sleep(Duration::from_millis(30))).await;
        assert!(time.spent() < Duration::from_millis(20), "{:?}", time.spent());
        let began = Instant::now();
        let sum =
            time.of(async { (0..30_000_000_u64).fold(0, |sum, n| std::hint::black_box(sum ^ n)) }).await;
        assert!(sum < u64::MAX && time.spent() > Duration::from_millis(1), "{:?}", time.spent());
        assert!(time.spent() <= began.elapsed() + Duration::from_millis(20));
    }
}
