//! Statements that are prepared, and portals: statements with their values, which run once and are read as often as their client likes.

use std::sync::Arc;

use pgwire::messages::extendedquery::Bind;
use serde_json::Value as Json;

use super::answer::{Shape, StatementAnswer};
use super::failure::SqlFailure;
use super::kind::{PgKind, value};
use super::statement::ClientStatement;
use crate::call::MeteredCall;

/// A statement that is prepared.
pub(super) struct Prepared {
    pub statement: Arc<ClientStatement>,
    /// The types of its values, as its client said them; 0 for one that was not said.
    pub oids: Vec<u32>,
    /// What it takes and answers, once somebody asked.
    pub shape: Option<Shape>,
    /// What was paid when somebody asked, for the first run.
    pub entered: Option<MeteredCall>,
}

/// A statement with its values.
pub(super) struct OpenPortal {
    pub statement: Arc<ClientStatement>,
    pub values: Vec<Json>,
    /// The formats of its columns.
    pub formats: Vec<i16>,
    /// What was paid already.
    pub entered: Option<MeteredCall>,
    /// Its answer, once it ran.
    pub answer: Option<StatementAnswer>,
    pub ran: Ran,
}

/// How far the rows of an answer were sent.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub sent: usize,
}

/// The format at a place of a list that has none for text, one for all, or one of each.
pub(super) fn format_of(formats: &[i16], at: usize) -> i16 {
    match formats {
        [one] => *one,
        several => several.get(at).copied().unwrap_or_default(),
    }
}

impl Prepared {
    /// Whether the types of values must be found out: one comes in binary, and its type was not said.
    pub(super) fn needs_shape(&self, bind: &Bind) -> bool {
        let is_untold = |at: usize| {
            let oid = self.oids.get(at).copied().unwrap_or_default();
            oid == 0 && format_of(&bind.parameter_format_codes, at) == 1
        };
        self.shape.is_none() && (0..bind.parameters.len()).any(is_untold)
    }

    /// The types of its values: as its client said them, or else as the statement tells.
    pub(super) fn value_types(&self) -> Vec<u32> {
        let told = self.shape.as_ref().map_or(&[][..], |shape| &shape.values);
        let of = |at: usize| {
            let said = self.oids.get(at).copied().filter(|oid| *oid != 0);
            said.unwrap_or_else(|| told.get(at).copied().flatten().unwrap_or(PgKind::Text).oid())
        };
        (0..told.len().max(self.oids.len())).map(of).collect()
    }

    /// The statement with these values.
    ///
    /// # Errors
    /// Values that are not of their types.
    pub(super) fn bound(&mut self, bind: &Bind) -> Result<OpenPortal, SqlFailure> {
        let types = self.value_types();
        let values = bind.parameters.iter().enumerate().map(|(at, bytes)| {
            let is_binary = format_of(&bind.parameter_format_codes, at) == 1;
            value(types.get(at).copied().unwrap_or_default(), is_binary, bytes.as_ref())
        });
        Ok(OpenPortal {
            values: values.collect::<Result<_, _>>()?,
            formats: bind.result_column_format_codes.clone(),
            entered: self.entered.take(),
            ..OpenPortal::of(Arc::clone(&self.statement))
        })
    }
}

impl OpenPortal {
    /// A statement without values.
    pub(super) fn of(statement: Arc<ClientStatement>) -> Self {
        let (values, formats) = (Vec::new(), Vec::new());
        Self { statement, values, formats, entered: None, answer: None, ran: Ran::default() }
    }
}
