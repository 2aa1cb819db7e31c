//! Rows of other tools as files for people: each is stored for a limited time under an address that cannot be guessed.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use chrono::{SecondsFormat, Utc};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Resource};
use serde_json::{Map, Value as Json};

use super::super::calling::settle_call;
use super::super::handler::McpHandler;
use super::super::tool_request::ToolRequest;
use super::arguments::ChatArguments;
use super::calling::{ChatCall, ChatPartCall, Parts, cost};
use super::markets::{RequestedMarket, markets_of};
use super::tool::ChatTool;
use super::tool_file::ChatPart;
use parquote_call::{ExportedFile, FILE_LIFETIME, MeteredCall};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Offer, bracketed_hint, truncate_for_message};
use parquote_engine::Extent;

/// Path of the files on this server.
const FILES_PATH: &str = "/v1/files";
/// Most files of a call.
const MOST_FILES: usize = 8;

/// A parsed export: a tool with its arguments, and the one part to export, or `None` for all.
struct ExportRequest<'a> {
    tool: &'a ChatTool,
    arguments: ChatArguments,
    markets: Vec<RequestedMarket>,
    part: Option<String>,
    format: AnswerFormat,
}

impl McpHandler {
    pub(super) async fn call_export(
        &self,
        request: &ToolRequest,
        export_tool: &ChatTool,
        arguments: &JsonObject,
    ) -> CallToolResult {
        let parsed = self.parse_export(request, export_tool, arguments);
        let cost = parsed.as_ref().map_or(1, |export| cost(export.tool, &export.arguments, &export.markets));
        let metered = match self.enter_call(request, &export_tool.counted_at(cost)).await {
            Ok(metered) => metered,
            Err(refusal) => return *refusal,
        };
        let answered = match parsed {
            Ok(export) => self.files(request, &metered, &export).await,
            Err(refusal) => Err(refusal),
        };
        settle_call(request, metered, answered)
    }

    fn parse_export(
        &self,
        request: &ToolRequest,
        export_tool: &ChatTool,
        arguments: &JsonObject,
    ) -> Result<ExportRequest<'_>, ClientError> {
        let outer = ChatArguments::read(export_tool, arguments)?;
        let name = outer.value("tool").unwrap_or_default();
        let tool = self.chat.find(name).filter(|tool| has_files(tool)).ok_or_else(|| {
            let with_rows = || self.chat.all().filter(|tool| has_files(tool)).map(|tool| tool.name.as_str());
            let near = bracketed_hint(name, with_rows());
            let all = with_rows().collect::<Vec<_>>().join(", ");
            refusal(format!(
                "`tool`: {} has no rows{near}; those of {all} can be a file",
                truncate_for_message(name)
            ))
        })?;
        let text = outer.value("arguments").unwrap_or("{}");
        let inner: JsonObject = serde_json::from_str(text).map_err(|_| {
            refusal(format!("`arguments`: an object with the arguments of {} is wanted", tool.name))
        })?;
        let part = outer.value("part").map(str::to_owned);
        if let Some(part) = part.as_deref().filter(|part| parts(tool).all(|other| other.name != *part)) {
            let all = parts(tool).map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(refusal(format!(
                "`part`: {} has no rows `{}`, but {all}",
                tool.name,
                truncate_for_message(part)
            )));
        }
        let format = outer.value("format").and_then(AnswerFormat::from_word).unwrap_or(AnswerFormat::Csv);
        let arguments = ChatArguments::read(tool, &inner)?;
        let markets = markets_of(tool, &arguments, &self.service.snapshot_for(&request.caller))?;
        Ok(ExportRequest { tool, arguments, markets, part, format })
    }

    async fn files(
        &self,
        request: &ToolRequest,
        metered: &MeteredCall,
        export: &ExportRequest<'_>,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        if self.public_url.is_none() && self.local.is_none() {
            let message = "this server has no address that people can open: its owner sets --public-url, or writes tables with \
                           `parquote export`";
            return Err(refusal(message.to_owned()));
        }
        let ExportRequest { tool, arguments, markets, .. } = export;
        let parts = self.parts(ChatCall { request, metered, tool, markets }, arguments).await?;
        parts.check_unused()?;
        let is_requested = |part: &ChatPart| export.part.as_ref().is_none_or(|name| part.name == *name);
        let calls = parts.calls();
        let unanswered = parts.unanswered_tickers(&calls).into_iter();
        let mut failed: Map<String, Json> =
            unanswered.map(|(tickers, refusal)| (tickers, Json::from(refusal.message))).collect();
        let calls = calls.into_iter().filter(|call| is_file(call.part) && is_requested(call.part));
        let (mut files, mut links) = (Vec::new(), Vec::new());
        let mut first_refusal = None;
        for call in calls.take(MOST_FILES) {
            let (body, extent) = match parts.file(&call, export.format).await {
                Ok(file) => file,
                Err(refusal) => {
                    failed.insert(call.part.name.clone(), refusal.message.clone().into());
                    first_refusal.get_or_insert(refusal);
                    continue;
                }
            };
            let name = format!("{}-{}-{}", tool.name, call.part.name, call.market);
            let (bytes, file) =
                (body.len(), ExportedFile { name: name.clone(), format: export.format, body });
            let (kind, location, url) = self.store_for_person(metered, file).await?;
            let mut entry = Map::new();
            entry.insert("part".into(), call.part.name.as_str().into());
            entry.insert("market".into(), call.market.word().into());
            entry.insert("rows".into(), extent.rows.into());
            entry.extend(
                extent.total.filter(|total| *total > extent.rows).map(|all| ("of".to_owned(), all.into())),
            );
            entry.insert("bytes".into(), bytes.into());
            entry.insert(kind.into(), location.into());
            files.push(Json::Object(entry));
            let link = Resource::new(url, name).with_mime_type(export.format.media_type());
            links.push(ContentBlock::resource_link(link));
        }
        if files.is_empty() {
            return Err(first_refusal.unwrap_or_else(|| refusal(parts.nothing_requested())));
        }
        let mut answer = Map::from_iter([("files".to_owned(), Json::from(files))]);
        if self.public_url.is_some() {
            let until = (Utc::now() + FILE_LIFETIME).to_rfc3339_opts(SecondsFormat::Secs, true);
            answer.insert("kept_until".into(), until.into());
        }
        if !failed.is_empty() {
            answer.insert("not_answered".into(), failed.into());
        }
        let answer = Json::Object(answer);
        let mut result = CallToolResult::success(
            std::iter::once(ContentBlock::text(answer.to_string())).chain(links).collect(),
        );
        result.structured_content = Some(answer);
        Ok((result, parts.provenance()))
    }

    /// Stores a file where a person can open it. Returns the kind of its location (`url` or `path`), the location, and its URL: an address
    /// of this server for a limited time, or, for a caller over stdio, the path of a file on the same machine that is not removed.
    async fn store_for_person(
        &self,
        metered: &MeteredCall,
        file: ExportedFile,
    ) -> Result<(&'static str, String, String), ClientError> {
        if let Some(server) = &self.public_url {
            let token = self.service.files().store(metered.caller().owner_number(), file, Instant::now())?;
            let url = format!("{server}{FILES_PATH}/{}", token.reveal());
            return Ok(("url", url.clone(), url));
        }
        let written = tokio::task::spawn_blocking(move || write_temporary_file(&file)).await;
        let path = written.map_err(std::io::Error::other).and_then(|path| path).map_err(|error| {
            let message = "the file cannot be written into the folder for temporary files";
            ClientError::from_cause(ErrorKind::Internal, message.to_owned(), error)
        })?;
        let path = path.display().to_string();
        Ok(("path", path.clone(), format!("file://{path}")))
    }
}

/// Writes a file into the folder for temporary files, under a name that no file has yet.
fn write_temporary_file(file: &ExportedFile) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join("parquote");
    let (mut folders, mut options) = (std::fs::DirBuilder::new(), std::fs::OpenOptions::new());
    folders.recursive(true);
    options.write(true).create_new(true);
    // Other users of the machine share the folder for temporary files.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        folders.mode(0o700);
        options.mode(0o600);
    }
    folders.create(&folder)?;
    let time = Utc::now().format("%Y%m%d-%H%M%S%.3f");
    let path = folder.join(format!("{}-{time}.{}", file.name, file.format.word()));
    options.open(&path)?.write_all(&file.body)?;
    Ok(path)
}

/// Returns true if the rows of a part can be a file.
fn is_file(part: &ChatPart) -> bool {
    part.built_in.is_none() && !part.picture
}

fn parts(tool: &ChatTool) -> impl Iterator<Item = &ChatPart> {
    tool.file.part.iter().filter(|part| is_file(part))
}

fn has_files(tool: &ChatTool) -> bool {
    !tool.file.changes && tool.file.connector.is_none() && parts(tool).next().is_some()
}

fn refusal(message: String) -> ClientError {
    ClientError::new(ErrorKind::BadRequest, message)
}

impl Parts<'_> {
    /// Returns the rows of one call as a file, up to the tier's row limit.
    async fn file(
        &self,
        call: &ChatPartCall<'_>,
        format: AnswerFormat,
    ) -> Result<(bytes::Bytes, Extent), ClientError> {
        let most = call.operation.most_rows(self.metered.tier()).map(|most| most.to_string());
        let other_pairs = call.pairs.iter().filter(|(name, _)| name != "limit" || most.is_none()).cloned();
        let mut pairs: Vec<_> = other_pairs.collect();
        pairs.extend(most.map(|most| ("limit".to_owned(), most)));
        let call = ChatPartCall { pairs, ..*call };
        if call.operation.is_formatted() {
            let encoded = self.run(&call, Offer::any(format), format).await?.1;
            return Ok((encoded.body, encoded.extent.unwrap_or_default()));
        }
        if format != AnswerFormat::Csv {
            return Err(refusal(format!("`format`: `{}` is written as csv alone", call.part.name)));
        }
        let rows = self.rows(&call).await?;
        Ok((rows.csv(), Extent { rows: rows.count(), total: rows.total, ..Extent::default() }))
    }
}
