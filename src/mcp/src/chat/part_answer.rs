//! The answer of one part: the rows of its operation with notes and terms, or the rows of a built-in part.

use chrono::Utc;
use serde_json::Value as Json;

use super::answer::AnsweredPart;
use super::built_in_parts;
use super::calling::{ChatPartCall, Parts};
use super::not_here;
use super::report;
use super::table::PartRows;
use super::tool_file::{BuiltInPart, ChatPart};
use parquote_call::{Call, CallOptions, is_invented};
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{AnswerFormat, Offer};
use parquote_engine::EncodedAnswer;

impl Parts<'_> {
    pub(super) fn answer_built_in(&self, part: &ChatPart, kind: BuiltInPart) -> AnsweredPart {
        let snapshot = self.service.snapshot();
        let words = self.arguments.value("q").unwrap_or_default();
        let rows = match kind {
            BuiltInPart::Figures => built_in_parts::figures(self.service.catalogue(), words),
            BuiltInPart::Names => built_in_parts::names(&snapshot, words),
            BuiltInPart::Meant => built_in_parts::likely_companies(&snapshot, words),
            BuiltInPart::Tables => built_in_parts::tables(&snapshot, words),
            BuiltInPart::NotHere => not_here::missing_subjects(&snapshot, words),
            // `call_export` answers the export tool, whose part has no rows.
            BuiltInPart::Files => PartRows::default(),
            BuiltInPart::Status => {
                let caller = self.metered.caller();
                built_in_parts::status(&snapshot, caller.tier(), self.metered.allowance(), Utc::now())
            }
        };
        AnsweredPart {
            name: part.name.clone(),
            part: part.name.clone(),
            market: None,
            rows,
            empty: part.empty.clone(),
        }
    }

    /// Runs one call. The answer is in the requested format if the operation has several.
    pub(super) async fn run(
        &self,
        call: &ChatPartCall<'_>,
        offer: Offer,
        format: AnswerFormat,
    ) -> Result<(Call, EncodedAnswer), ClientError> {
        for param in self.tool.file.param.iter().filter(|param| call.part.takes(call.market, &param.name)) {
            self.check_values(param, call.market)?;
        }
        let metered = self.service.enter(call.operation, self.metered.caller()).await?;
        let format = Some(("format", format.word())).filter(|_| call.operation.is_formatted());
        let pairs = call.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(format);
        let admitted = self.service.admit(&metered, pairs, CallOptions::new(offer)).await?;
        let encoded = self.service.run(&admitted).await?;
        Ok((admitted, encoded))
    }

    pub(super) async fn rows(&self, call: &ChatPartCall<'_>) -> Result<PartRows, ClientError> {
        let (admitted, encoded) = self.run(call, Offer::ENVELOPED, AnswerFormat::Columns).await?;
        let answer: Json = encoded.parse_body(&call.operation.name)?;
        let result_columns = admitted.columns();
        self.check_columns(call.part, &result_columns)?;
        let answer = match &call.part.report {
            Some(run) => report::with_markdown_report(run, answer, call.market, self.public_url.as_deref()),
            None => answer,
        };
        let columns = self.columns(call.part, &answer);
        let mut rows = PartRows::from_answer(call.part, answer, &columns, &result_columns);
        let aged_by = call.part.aged_by.iter().filter(|(_, column)| !columns.contains(column));
        let unread: Vec<&str> = aged_by.map(|(table, _)| table.as_str()).collect();
        rows.age = admitted.age_note(&unread, encoded.extent);
        let coverage = Box::pin(self.service.coverage(&admitted)).await;
        rows.notes = admitted.notes();
        rows.notes.extend(coverage.map(|coverage| coverage.note()));
        let terms = self.service.terms_of_sources(call.operation);
        let terms = terms.filter(|_| !is_invented(admitted.snapshot(), call.market));
        rows.terms = terms.map(|terms| terms.owners.clone()).unwrap_or_default();
        rows.has_cursor = call.operation.has_rows();
        if let Some(extent) = encoded.extent {
            (rows.offset, rows.total, rows.more) = (extent.offset, extent.total, extent.more);
        }
        Ok(rows)
    }

    /// Returns the columns of a part: its fixed columns, the columns of the requested sections, and the columns of the parsed conditions.
    fn columns(&self, part: &ChatPart, answer: &Json) -> Vec<String> {
        let mut columns = part.columns.clone();
        let chosen: Vec<&String> = part.by.iter().flat_map(|by| self.arguments.values(by)).collect();
        if chosen.is_empty() {
            columns.extend(part.otherwise.iter().cloned());
        }
        for name in chosen {
            match part.sections.get(name) {
                Some(section) => columns.extend(section.iter().cloned()),
                None => columns.push(name.clone()),
            }
        }
        let criteria = part.criteria.as_ref().and_then(|criteria| answer.get(criteria));
        if let Some(criteria) = criteria {
            fields_of(criteria, &mut columns);
        }
        columns.extend(sorted_by(part, answer).map(str::to_owned));
        let beside = part.beside.iter().filter(|(_, dated)| columns.contains(dated));
        let beside: Vec<String> = beside.map(|(column, _)| column.clone()).collect();
        columns.extend(beside);
        columns
    }
}

/// Returns the field by which the rows are sorted, if the part shows it around them.
fn sorted_by<'a>(part: &ChatPart, answer: &'a Json) -> Option<&'a str> {
    const SORTED_BY: &str = "sorted_by";
    let is_shown = part.around.iter().any(|name| name == SORTED_BY);
    answer.get(SORTED_BY).filter(|_| is_shown)?.as_str()?.split_whitespace().next()
}

/// Collects the fields of a tree of conditions.
fn fields_of(criteria: &Json, fields: &mut Vec<String>) {
    match criteria {
        Json::Object(condition) => {
            fields.extend(condition.get("field").and_then(Json::as_str).map(str::to_owned));
            let several = condition.get("fields").and_then(Json::as_array).into_iter().flatten();
            fields.extend(several.filter_map(Json::as_str).map(str::to_owned));
            condition.values().for_each(|inner| fields_of(inner, fields));
        }
        Json::Array(items) => items.iter().for_each(|inner| fields_of(inner, fields)),
        _ => {}
    }
}
