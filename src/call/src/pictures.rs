//! Pictures of answers: checks on calls that can be drawn, and the queue for rasterizing SVG to PNG.
//!
//! An SVG is text and is drawn on the query threads. A PNG takes tens of milliseconds of a core, so PNGs have separate permits, half as
//! many as there are cores, and a queue that is fair among keys. A call that waits in that queue holds no query permit.

use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::admitted::Call;
use super::fair_queue::{FairQueue, QueueLimits};
use super::query_threads::resume_panic;
use super::queue_figures::QueueFigures;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::features::missing_feature;
use parquote_catalogue::operation::{AnswerFormat, Catalogue, Condition, Operation};
use parquote_engine::{EncodedAnswer, lacking_feature};

#[derive(Debug, Clone)]
pub(super) struct PngQueue(Arc<FairQueue>);

impl PngQueue {
    /// Builds a queue with one permit per two cores, at least one.
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

    /// Returns the running and waiting drawings, and the wait times.
    pub(super) fn figures(&self) -> QueueFigures {
        self.0.figures()
    }

    /// Rasterizes an answer's SVG on a blocking thread; 503 if too many calls wait.
    pub(super) async fn png(&self, call: &Call, svg: EncodedAnswer) -> Result<EncodedAnswer, ClientError> {
        let permit = self.0.wait_for_permit(call.caller.owner_number()).await?;
        // An earlier call in the queue may have drawn the same picture.
        if let Some(cached) = call.prepared.cached_answer() {
            return Ok(cached);
        }
        let prepared = Arc::clone(&call.prepared);
        let drawing = spawn_blocking(move || {
            // The permit is free when the drawing has ended, not when its caller has left.
            let _permit = permit;
            prepared.rasterize(&svg)
        });
        Ok(drawing.await.map_err(resume_panic)??)
    }
}

/// Refuses a format that this build cannot write.
pub(super) fn refuse_unbuilt(format: AnswerFormat) -> Result<(), ClientError> {
    let Some(feature) = lacking_feature(format) else { return Ok(()) };
    Err(picture_refusal(format!("`format`: {}", missing_feature(format.word(), feature))))
}

/// Refuses a picture of an operation that has none, and lists those that have one.
pub(super) fn refuse_without_picture<'a>(
    catalogue: &Catalogue,
    operation: &Operation,
    pairs: impl IntoIterator<Item = &'a (&'a str, &'a str)>,
) -> Result<(), ClientError> {
    let is_picture = |text: &str| AnswerFormat::from_word(text.trim()).is_some_and(AnswerFormat::is_picture);
    let is_requested = pairs.into_iter().any(|(name, text)| *name == "format" && is_picture(text));
    if !is_requested || !operation.answers_from_select() || operation.has_picture() {
        return Ok(());
    }
    let drawn = catalogue.operations().iter().filter(|operation| operation.has_picture());
    let names: Vec<&str> = drawn.map(|operation| operation.name.as_str()).collect();
    Err(picture_refusal(format!(
        "`format`: {} has no picture; ask for it as {}. Operations with a picture are {}",
        operation.name,
        row_formats(),
        names.join(", ")
    )))
}

/// Builds the refusal of a call whose rows cannot be drawn, although other rows of the operation can.
pub(super) fn no_picture_error(operation: &Operation) -> ClientError {
    let when = |conditions: &[Condition]| {
        conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
    };
    let drawn = operation.selects.iter().filter(|select| select.picture.is_some());
    let drawn: Vec<String> = drawn.map(|select| when(&select.when)).collect();
    picture_refusal(format!(
        "`format`: this form of {} has no picture; there is one with {}. Ask for these rows as {}",
        operation.name,
        drawn.join(", or with "),
        row_formats()
    ))
}

fn picture_refusal(message: String) -> ClientError {
    ClientError::invalid(ErrorKind::BadRequest, vec![("format".to_owned(), message)])
}

/// Returns the formats of rows that this build writes, as text.
fn row_formats() -> String {
    let built = AnswerFormat::ROWS.into_iter().filter(|format| lacking_feature(*format).is_none());
    built.map(AnswerFormat::word).collect::<Vec<_>>().join(", ")
}
