//! A call of `get_chart`: the call of its operation, on the same path and at the same price, with the picture as an image and its figures
//! as text.

use std::fmt::Write as _;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};

use super::calling::{settle_call, settle_paid_chart};
use super::chart::ChartRequest;
use super::chart_figures::{ColumnarAnswer, FigureTable};
use super::explorer_link;
use super::handler::McpHandler;
use super::tool_request::ToolRequest;
use parquote_access::redact;
use parquote_call::{Call, CallOptions, MeteredCall};
use parquote_catalogue::digits::counted;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::features::missing_feature;
use parquote_catalogue::operation::{AnswerFormat, Market, Offer, Operation};

/// Longest picture, in bytes: as base64 in a message it stays below a mebibyte, the maximum of some clients.
const MOST_BYTES: usize = 720_000;

impl McpHandler {
    pub(super) async fn call_chart(&self, tool_call: &ToolRequest, arguments: &JsonObject) -> CallToolResult {
        let request = match ChartRequest::read(self.service.catalogue(), arguments) {
            Ok(request) => request,
            // No operation was entered yet, so the refusal is free, like the refusal of an unknown route.
            Err(refused) => return self.uncharged_refusal(tool_call, refused),
        };
        let metered = match self.enter_call(tool_call, &request.operation).await {
            Ok(metered) => metered,
            Err(refused) => return *refused,
        };
        let drawn = self.draw(tool_call, &metered, &request).await;
        // Owner, snapshot, operation and parameters, without format and theme.
        let (owner, pin) = (tool_call.caller.owner_number(), tool_call.pin.as_deref().unwrap_or_default());
        let drawing = format!("{owner:?} {pin:?} {} {:?}", request.operation.name, request.pairs);
        let is_free_redraw = request.format == AnswerFormat::Svg
            && drawn.is_ok()
            && self.drawings.use_free_redraw(&drawing, Instant::now());
        if is_free_redraw {
            return settle_paid_chart(tool_call, metered, drawn);
        }
        if request.format == AnswerFormat::Png && drawn.is_ok() {
            self.drawings.record(drawing, Instant::now());
        }
        settle_call(tool_call, metered, drawn)
    }

    /// Draws an operation that the caller was admitted to, with its figures as text.
    pub(super) async fn draw(
        &self,
        tool_call: &ToolRequest,
        metered: &MeteredCall,
        request: &ChartRequest,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let call = self.admit_chart(tool_call, metered, request).await?;
        let picture = self.service.run(&call).await?.body;
        if picture.len() > MOST_BYTES {
            return Err(too_long(picture.len()));
        }
        let content = if request.format == AnswerFormat::Svg {
            vec![ContentBlock::text(String::from_utf8_lossy(&picture))]
        } else {
            let words = self.chart_text(&call, request).await?;
            vec![
                ContentBlock::text(words),
                ContentBlock::image(BASE64_STANDARD.encode(&picture), AnswerFormat::Png.media_type()),
            ]
        };
        Ok((CallToolResult::success(content), self.provenance(&call, &request.operation)))
    }

    /// Returns the figures of a chart without its picture, in a build that draws only SVG, which chats do not show.
    pub(super) async fn figures_without_picture(
        &self,
        tool_call: &ToolRequest,
        metered: &MeteredCall,
        request: &ChartRequest,
        feature: &str,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let call = self.admit_chart(tool_call, metered, request).await?;
        let (figures, why) =
            (self.chart_text(&call, request).await?, missing_feature("The picture", feature));
        let text = format!("{figures}\n{why}. With `format=svg`, the request draws it as markup.");
        let result = CallToolResult::success(vec![ContentBlock::text(text)]);
        Ok((result, self.provenance(&call, &request.operation)))
    }

    async fn admit_chart(
        &self,
        tool_call: &ToolRequest,
        metered: &MeteredCall,
        request: &ChartRequest,
    ) -> Result<Call, ClientError> {
        let options = CallOptions { pin: tool_call.pin(), ..CallOptions::new(Offer::any(request.format)) };
        self.service.admit_drawing(metered, request.drawing_pairs(), options).await
    }

    /// Returns the text with the chart: title, data, key figures, and links.
    async fn chart_text(&self, call: &Call, request: &ChartRequest) -> Result<String, ClientError> {
        let operation = &request.operation;
        let answer = self.service.run(&call.in_format(AnswerFormat::Columns)).await?;
        let answer: ColumnarAnswer = answer.parse_body(&operation.name)?;
        let mut text = format!(
            "# {}\n{}\n",
            call.picture_title().unwrap_or_default(),
            chart_subject(call, operation, &answer)
        );
        if let Some(spec) = call.picture() {
            let source = FigureTable { spec, columns: &call.columns(), market: call.market() };
            let _ = write!(text, "\n{}", answer.table(source));
        }
        let coverage = Box::pin(self.service.coverage(call)).await;
        let coverage_note = coverage.map(|coverage| coverage.note());
        for note in call.notes().into_iter().chain(coverage_note) {
            let _ = writeln!(text, "\n{note}");
        }
        if let Some(terms) = self.terms_of(call, operation) {
            let _ = writeln!(text, "\nSource terms: {}", terms.header_line);
        }
        let _ = writeln!(text, "\nRequest: GET /v1/{}", path(operation, &request.pairs));
        let page = explorer_link::page(operation, &request.pairs);
        if let (Some(server), Some(page)) = (&self.public_url, page) {
            let _ = writeln!(text, "Explorer: {server}{page}");
        }
        Ok(redact(&text).into_owned())
    }
}

fn chart_subject(call: &Call, operation: &Operation, answer: &ColumnarAnswer) -> String {
    let market = match call.market() {
        Market::India => "India",
        Market::Us => "US",
    };
    let as_of =
        call.snapshot().as_of(call.market()).map(|date| format!(", as of {date}")).unwrap_or_default();
    let kind = call.picture().map_or("picture", |spec| spec.kind().word()).replace('_', " ");
    let rows = counted(answer.rows(), "row", "rows");
    format!("{} {market}{as_of}; drawn as {kind} from {rows}.", sentence(&operation.title))
}

/// Formats a title as a sentence, without the prefix of the explorer's operations.
fn sentence(title: &str) -> String {
    let subject = title.strip_prefix("Explorer: ").unwrap_or(title).trim_end_matches('.');
    let mut letters = subject.chars();
    let first = letters.next().map(char::to_uppercase);
    format!("{}{}.", first.into_iter().flatten().collect::<String>(), letters.as_str())
}

/// Returns the path of the request below the version, with its query.
fn path(operation: &Operation, pairs: &[(String, String)]) -> String {
    let filled = pairs.iter().filter(|(_, value)| !value.trim().is_empty());
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(filled).finish();
    if query.is_empty() { operation.name.clone() } else { format!("{}?{query}", operation.name) }
}

fn too_long(bytes: usize) -> ClientError {
    let message = format!(
        "the picture has {bytes} bytes, more than the {MOST_BYTES} that can be sent here; ask for fewer rows, or get it over REST"
    );
    ClientError::new(ErrorKind::BadRequest, message)
}
