//! Flash messages: the result of a form, shown once to its sender on the page that follows. They are in memory only, for a minute, and no
//! address names them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time that a browser may take to follow the redirect.
const FOLLOW_TIMEOUT: Duration = Duration::from_mins(1);
/// Most messages; the oldest are dropped first.
const MOST_MESSAGES: usize = 256;

/// Owner and path of a message.
type MessageOwner = (String, String);

pub(super) struct FlashMessages<T>(Mutex<VecDeque<(MessageOwner, Instant, T)>>);

impl<T> Default for FlashMessages<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> FlashMessages<T> {
    /// Stores the message for the owner's next request of a path, in place of an older one.
    pub(super) fn store_message(&self, who: &str, path: &str, message: T) {
        let key = (who.to_owned(), path.to_owned());
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.retain(|(other, since, _)| *other != key && since.elapsed() < FOLLOW_TIMEOUT);
        messages.push_back((key, Instant::now(), message));
        if messages.len() > MOST_MESSAGES {
            messages.pop_front();
        }
    }

    /// Takes the message for a request of the owner at a path; `None` if there is none, or if it has expired.
    pub(super) fn take_message(&self, who: &str, path: &str) -> Option<T> {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = messages.iter().position(|((owner, page), ..)| owner == who && page == path)?;
        let (_, since, message) = messages.remove(index)?;
        (since.elapsed() < FOLLOW_TIMEOUT).then_some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_once_and_to_its_owner_alone() {
        let messages = FlashMessages::default();
        messages.store_message("a", "/india/models", 1);
        messages.store_message("a", "/india/models", 2);
        messages.store_message("b", "/india/models", 3);
        assert_eq!(
            (messages.take_message("c", "/india/models"), messages.take_message("a", "/us/models")),
            (None, None)
        );
        assert_eq!(
            (messages.take_message("a", "/india/models"), messages.take_message("a", "/india/models")),
            (Some(2), None)
        );
        for other in 0..MOST_MESSAGES {
            messages.store_message(&other.to_string(), "/", 0);
        }
        assert_eq!(messages.take_message("b", "/india/models"), None);
    }
}
