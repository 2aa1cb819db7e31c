//! Flash messages: the result of a form, shown once to its sender on the page that follows. They are in memory only, for a minute, and no
//! address names them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time that a browser may take to follow the redirect.
const TIME: Duration = Duration::from_mins(1);
/// Most messages; the oldest are dropped first.
const MOST: usize = 256;

/// Owner and path of a message.
type MessageOwner = (String, String);

/// The flash messages.
pub(super) struct FlashMessages<T>(Mutex<VecDeque<(MessageOwner, Instant, T)>>);

impl<T> Default for FlashMessages<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> FlashMessages<T> {
    /// Stores the message for the owner's next request of a path, in place of an older one.
    pub(super) fn keep(&self, who: &str, path: &str, told: T) {
        let place = (who.to_owned(), path.to_owned());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, since, _)| *known != place && since.elapsed() < TIME);
        kept.push_back((place, Instant::now(), told));
        if kept.len() > MOST {
            kept.pop_front();
        }
    }

    /// Takes the message.
    pub(super) fn take(&self, who: &str, path: &str) -> Option<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|((owner, place), ..)| owner == who && place == path)?;
        let (_, since, told) = kept.remove(at)?;
        (since.elapsed() < TIME).then_some(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seen_once_by_whoever_it_is_for() {
        let kept = FlashMessages::default();
        kept.keep("a", "/india/models", 1);
        kept.keep("a", "/india/models", 2);
        kept.keep("b", "/india/models", 3);
        assert_eq!((kept.take("c", "/india/models"), kept.take("a", "/us/models")), (None, None));
        assert_eq!((kept.take("a", "/india/models"), kept.take("a", "/india/models")), (Some(2), None));
        for other in 0..MOST {
            kept.keep(&other.to_string(), "/", 0);
        }
        assert_eq!(kept.take("b", "/india/models"), None);
    }
}
