//! Draws the picture of an answer as its SELECT declares it, with a title, a note and a description.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::DataFusionError;

use super::prepared_select::PreparedSelect;
use crate::answers::answer::AnswerFacts;
use crate::answers::picture_rows::{PictureRows, PictureSetting};
use crate::error::EngineError;
use parquote_catalogue::operation::{DrawingChoice, DrawingSize, DrawingTheme, Market, Value};
use parquote_picture::sheet::{PictureSize, PictureWords};
use parquote_picture::spec::PictureSpec;
use parquote_picture::theme::Theme;

/// Draws rows of a SELECT.
///
/// # Errors
/// More rows than a picture may have; declarations are checked before.
pub(crate) fn draw_svg(
    select: &PreparedSelect,
    batches: &[RecordBatch],
    facts: &AnswerFacts<'_>,
    choice: DrawingChoice,
) -> Result<Vec<u8>, EngineError> {
    let missing = || EngineError::Undrawn(facts.operation.name.clone());
    let spec = select.picture.as_ref().ok_or_else(missing)?;
    let unit =
        |name: &str| select.columns.iter().find(|column| column.name == name).map(|column| column.unit);
    // A run without rows may have no batches; its picture has a text for that case.
    let no_rows = [RecordBatch::new_empty(Arc::clone(&select.schema))];
    let rows = PictureRows::from_batches(if batches.is_empty() { &no_rows } else { batches }, spec, unit);
    let rows = rows.map_err(DataFusionError::from)?;
    let words = Captions::new(spec, facts, batches.iter().map(RecordBatch::num_rows).sum());
    let setting = PictureSetting {
        spec,
        words: words.as_words(),
        size: match choice.size {
            DrawingSize::Regular => PictureSize::Regular,
            DrawingSize::Large => PictureSize::Large,
        },
        theme: match choice.theme {
            DrawingTheme::Light => Theme::Light,
            DrawingTheme::Dark => Theme::Dark,
        },
        market: facts.operation.market,
    };
    Ok(rows.svg(&setting)?.into_bytes())
}

/// Texts around a picture, and its description for readers who do not see it.
struct Captions {
    title: String,
    description: String,
    footnote: String,
}

impl Captions {
    fn new(spec: &PictureSpec, facts: &AnswerFacts<'_>, rows: usize) -> Self {
        let market = match facts.operation.market {
            Market::India => "India",
            Market::Us => "US",
        };
        let as_of = facts.as_of().map(|date| format!(", as of {date}")).unwrap_or_default();
        let row_count = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        let columns: Vec<&str> = spec.columns().iter().map(|column| column.label.as_str()).collect();
        Self {
            description: format!(
                "{}. {row_count}, {market}{as_of}. It shows {}. The same call without format has the figures.",
                facts.operation.title.trim_end_matches('.'),
                columns.join(", "),
            ),
            title: title(spec, facts),
            footnote: format!("{market}{as_of} · Parquote"),
        }
    }

    fn as_words(&self) -> PictureWords<'_> {
        PictureWords {
            id: "picture",
            lang: "en",
            title: &self.title,
            description: &self.description,
            footnote: &self.footnote,
        }
    }
}

/// Returns the title of a picture with its subject.
pub(crate) fn title(spec: &PictureSpec, facts: &AnswerFacts<'_>) -> String {
    let title = spec.title().unwrap_or(&facts.operation.title);
    match picture_subject(facts) {
        subject if subject.is_empty() => title.to_owned(),
        subject => format!("{title}: {subject}"),
    }
}

/// Returns the subject of a call: its symbol or symbols, and names that it selects from a table, such as an index or a sector.
fn picture_subject(facts: &AnswerFacts<'_>) -> String {
    let requested = facts.operation.params.iter().zip(facts.arguments.values());
    let names = requested.filter_map(|(param, value)| {
        let is_subject = param.is_symbol() || param.is_symbols() || param.lookup.is_some();
        match value {
            Some(Value::Text(name)) if is_subject => Some(name.clone()),
            Some(Value::List(names)) if is_subject => Some(names.join(", ")),
            _ => None,
        }
    });
    names.collect::<Vec<_>>().join(", ")
}
