//! Pictures of answers: which calls can be drawn, and the turns in which SVG becomes PNG.
//!
//! An SVG is text and made where queries run. A PNG takes tens of milliseconds of a core, which a caller can ask for as often as it is
//! let in: PNGs have permits of their own, half as many as there are cores, and a queue that is fair among keys. Whoever waits there
//! holds no place of a query.

use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::admitted::Call;
use super::fair_queue::{FairQueue, QueueLimits};
use super::queue_figures::QueueFigures;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::features::missing_feature;
use parquote_catalogue::operation::{AnswerFormat, Catalogue, Condition, Operation};
use parquote_engine::{Encoded, lacking_feature};

/// Where PNGs wait for their turn.
#[derive(Debug, Clone)]
pub(super) struct PngQueue(Arc<FairQueue>);

impl PngQueue {
    /// A queue with one permit for two cores, and one at the least.
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let permits = (cores / 2).max(1);
        Self(FairQueue::new(QueueLimits {
            running: permits,
            running_per_key: permits,
            waiting_per_key: 16,
            waiting: 64,
        }))
    }

    /// What is drawn, waits and waited.
    pub(super) fn figures(&self) -> QueueFigures {
        self.0.figures()
    }

    /// The PNG of an answer that is an SVG, on a thread that nothing else waits for.
    ///
    /// # Errors
    /// 503 where too many wait, and what keeps an SVG from becoming a PNG.
    pub(super) async fn png(&self, call: &Call, svg: Encoded) -> Result<Encoded, ClientError> {
        let place = self.0.enter(call.caller.owner_number()).await?;
        // Somebody may have waited for the same picture in front of this call.
        if let Some(kept) = call.prepared.kept() {
            return Ok(kept);
        }
        let prepared = Arc::clone(&call.prepared);
        let drawing = spawn_blocking(move || {
            // The place is free when the drawing has really ended, not when its caller has left.
            let _place = place;
            prepared.rasterized(&svg)
        });
        match drawing.await {
            Ok(drawn) => Ok(drawn?),
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(ended) => Err(ClientError::caused(ErrorKind::Unavailable, "the server is ending", ended)),
            },
        }
    }
}

/// Refuses a format that this build cannot write.
pub(super) fn refuse_unbuilt(format: AnswerFormat) -> Result<(), ClientError> {
    let Some(feature) = lacking_feature(format) else { return Ok(()) };
    Err(refused(format!("`format`: {}", missing_feature(format.word(), feature))))
}

/// Refuses a picture of an operation that has none, and says which have one.
pub(super) fn refuse_without_picture<'a>(
    catalogue: &Catalogue,
    operation: &Operation,
    pairs: impl IntoIterator<Item = &'a (&'a str, &'a str)>,
) -> Result<(), ClientError> {
    let is_picture = |text: &str| AnswerFormat::from_word(text.trim()).is_some_and(AnswerFormat::is_picture);
    let is_asked = pairs.into_iter().any(|(name, text)| *name == "format" && is_picture(text));
    if !is_asked || !operation.is_read() || operation.has_picture() {
        return Ok(());
    }
    let drawn = catalogue.operations().iter().filter(|operation| operation.has_picture());
    let names: Vec<&str> = drawn.map(|operation| operation.name.as_str()).collect();
    Err(refused(format!(
        "`format`: {} has no picture; ask for it as {}. Operations with a picture are {}",
        operation.name,
        words(&AnswerFormat::ROWS),
        names.join(", ")
    )))
}

/// That the rows which answer a call are not drawn, though others of its operation are.
pub(super) fn undrawn(operation: &Operation) -> ClientError {
    let when = |conditions: &[Condition]| {
        conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
    };
    let drawn = operation.selects.iter().filter(|select| select.picture.is_some());
    let drawn: Vec<String> = drawn.map(|select| when(&select.when)).collect();
    refused(format!(
        "`format`: this form of {} has no picture; there is one with {}. Ask for these rows as {}",
        operation.name,
        drawn.join(", or with "),
        words(&AnswerFormat::ROWS)
    ))
}

fn refused(message: String) -> ClientError {
    let violations = vec![("format".to_owned(), message.clone())];
    ClientError { violations, ..ClientError::new(ErrorKind::BadRequest, message) }
}

fn words(formats: &[AnswerFormat]) -> String {
    formats.iter().map(|format| format.word()).collect::<Vec<_>>().join(", ")
}
