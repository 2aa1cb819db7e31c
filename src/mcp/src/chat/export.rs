//! Rows of other tools as files for people: each is stored for a limited time under an address that cannot be guessed.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use chrono::{SecondsFormat, Utc};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Resource};
use serde_json::{Map, Value as Json};

use super::super::calling::settled;
use super::super::handler::McpHandler;
use super::super::tool_request::ToolRequest;
use super::asked::ChatArguments;
use super::calling::{ChatPartCall, Parts, cost};
use super::markets::{RequestedMarket, markets_of};
use super::tool::ChatTool;
use super::tool_file::ChatPart;
use parquote_call::{ExportedFile, KEPT, MeteredCall};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Offer, nearest, shown};
use parquote_engine::Extent;

/// Path of the files on this server.
const PLACE: &str = "/v1/files";
/// Most files of a call.
const MOST_FILES: usize = 8;

/// A parsed export: a tool with its arguments, and optionally one of its parts.
struct ExportRequest<'a> {
    tool: &'a ChatTool,
    asked: ChatArguments,
    markets: Vec<RequestedMarket>,
    part: Option<String>,
    format: AnswerFormat,
}

impl McpHandler {
    /// Calls the export tool.
    pub(super) async fn call_export(
        &self,
        request: &ToolRequest,
        own: &ChatTool,
        arguments: &JsonObject,
    ) -> CallToolResult {
        let read = self.what_is_exported(own, arguments);
        let cost = read.as_ref().map_or(1, |of| cost(of.tool, &of.asked, &of.markets));
        let metered = match self.entered(request, &own.counted_at(cost)).await {
            Ok(metered) => metered,
            Err(refused) => return *refused,
        };
        let answered = match read {
            Ok(exported) => self.files(request, &metered, &exported).await,
            Err(refused) => Err(refused),
        };
        settled(request, metered, answered)
    }

    fn what_is_exported(
        &self,
        own: &ChatTool,
        arguments: &JsonObject,
    ) -> Result<ExportRequest<'_>, ClientError> {
        let asked = ChatArguments::read(own, arguments)?;
        let name = asked.value("tool").unwrap_or_default();
        let tool = self.chat.find(name).filter(|tool| has_files(tool)).ok_or_else(|| {
            let with_rows = || self.chat.all().filter(|tool| has_files(tool)).map(|tool| tool.name.as_str());
            let near = nearest(name, with_rows());
            let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            let all = with_rows().collect::<Vec<_>>().join(", ");
            refused(format!("`tool`: {} has no rows{near}; those of {all} can be a file", shown(name)))
        })?;
        let text = asked.value("arguments").unwrap_or("{}");
        let inner: JsonObject = serde_json::from_str(text).map_err(|_| {
            refused(format!("`arguments`: an object with the arguments of {} is wanted", tool.name))
        })?;
        let part = asked.value("part").map(str::to_owned);
        if let Some(part) = part.as_deref().filter(|part| parts(tool).all(|known| known.name != *part)) {
            let all = parts(tool).map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(refused(format!("`part`: {} has no rows `{}`, but {all}", tool.name, shown(part))));
        }
        let format = asked.value("format").and_then(AnswerFormat::from_word).unwrap_or(AnswerFormat::Csv);
        let asked = ChatArguments::read(tool, &inner)?;
        let markets = markets_of(tool, &asked, &self.service.snapshot())?;
        Ok(ExportRequest { tool, asked, markets, part, format })
    }

    async fn files(
        &self,
        request: &ToolRequest,
        metered: &MeteredCall,
        exported: &ExportRequest<'_>,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        if self.public_url.is_none() && self.local.is_none() {
            let message = "this server has no address that people can open: its owner sets --public-url, or writes tables with \
                           `parquote export`";
            return Err(refused(message.to_owned()));
        }
        let ExportRequest { tool, asked, markets, .. } = exported;
        let parts = self.parts(request, metered, tool, asked, markets).await?;
        parts.check_given()?;
        let is_asked = |part: &ChatPart| exported.part.as_ref().is_none_or(|asked| part.name == *asked);
        let calls = parts.calls().into_iter().filter(|call| is_file(call.part) && is_asked(call.part));
        let (mut files, mut links, mut failed) = (Vec::new(), Vec::new(), Map::new());
        for call in calls.take(MOST_FILES) {
            let (body, extent) = match parts.file(&call, exported.format).await {
                Ok(file) => file,
                Err(refused) => {
                    failed.insert(call.part.name.clone(), refused.message.into());
                    continue;
                }
            };
            let name = format!("{}-{}-{}", tool.name, call.part.name, call.market);
            let (bytes, file) =
                (body.len(), ExportedFile { name: name.clone(), format: exported.format, body });
            let (kind, place, url) = self.placed(metered, file).await?;
            let mut told = Map::new();
            told.insert("part".into(), call.part.name.as_str().into());
            told.insert("market".into(), call.market.word().into());
            told.insert("rows".into(), extent.rows.into());
            told.extend(
                extent.total.filter(|total| *total > extent.rows).map(|all| ("of".to_owned(), all.into())),
            );
            told.insert("bytes".into(), bytes.into());
            told.insert(kind.into(), place.into());
            files.push(Json::Object(told));
            let link = Resource::new(url, name).with_mime_type(exported.format.media_type());
            links.push(ContentBlock::resource_link(link));
        }
        if files.is_empty() {
            let why = failed.into_iter().next().and_then(|(_, why)| why.as_str().map(str::to_owned));
            return Err(refused(why.unwrap_or_else(|| parts.nothing_asked())));
        }
        let mut answer = Map::from_iter([("files".to_owned(), Json::from(files))]);
        if self.public_url.is_some() {
            let until = (Utc::now() + KEPT).to_rfc3339_opts(SecondsFormat::Secs, true);
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

    /// Stores a file where a person can open it, and returns the kind of place, the place, and its URL: an address of this server for a limited
    /// time, or the path of a file that stays, on the machine of a caller over stdio.
    async fn placed(
        &self,
        metered: &MeteredCall,
        file: ExportedFile,
    ) -> Result<(&'static str, String, String), ClientError> {
        if let Some(server) = &self.public_url {
            let token = self.service.files().keep(metered.caller().owner_number(), file, Instant::now())?;
            let url = format!("{server}{PLACE}/{}", token.reveal());
            return Ok(("url", url.clone(), url));
        }
        let written = tokio::task::spawn_blocking(move || written(&file)).await;
        let path = written.map_err(std::io::Error::other).and_then(|path| path).map_err(|error| {
            let message = "the file cannot be written into the folder for temporary files";
            ClientError::caused(ErrorKind::Internal, message.to_owned(), error)
        })?;
        let path = path.display().to_string();
        Ok(("path", path.clone(), format!("file://{path}")))
    }
}

/// Writes a file into the folder for temporary files, under a name that no file has yet.
fn written(file: &ExportedFile) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join("parquote");
    let (mut made, mut options) = (std::fs::DirBuilder::new(), std::fs::OpenOptions::new());
    made.recursive(true);
    options.write(true).create_new(true);
    // Other users of the machine share the folder for temporary files.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        made.mode(0o700);
        options.mode(0o600);
    }
    made.create(&folder)?;
    let time = Utc::now().format("%Y%m%d-%H%M%S%.3f");
    let path = folder.join(format!("{}-{time}.{}", file.name, file.format.word()));
    options.open(&path)?.write_all(&file.body)?;
    Ok(path)
}

/// Returns true if the rows of a part can be a file.
fn is_file(part: &ChatPart) -> bool {
    part.own.is_none() && !part.picture
}

fn parts(tool: &ChatTool) -> impl Iterator<Item = &ChatPart> {
    tool.file.part.iter().filter(|part| is_file(part))
}

fn has_files(tool: &ChatTool) -> bool {
    !tool.file.changes && parts(tool).next().is_some()
}

fn refused(message: String) -> ClientError {
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
        let own = call.pairs.iter().filter(|(name, _)| name != "limit" || most.is_none()).cloned();
        let mut pairs: Vec<_> = own.collect();
        pairs.extend(most.map(|most| ("limit".to_owned(), most)));
        let call = ChatPartCall { pairs, ..*call };
        if call.operation.is_formatted() {
            let encoded = self.run(&call, Offer::any(format), format).await?.1;
            return Ok((encoded.body, encoded.extent.unwrap_or_default()));
        }
        if format != AnswerFormat::Csv {
            return Err(refused(format!("`format`: `{}` is written as csv alone", call.part.name)));
        }
        let rows = self.rows(&call).await?;
        Ok((rows.csv(), Extent { rows: rows.count(), total: rows.total, ..Extent::default() }))
    }
}
