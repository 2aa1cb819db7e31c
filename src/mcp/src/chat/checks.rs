//! Refusals of arguments that would otherwise be ignored, so that the answer would not fit the question.

use super::super::refused;
use super::calling::{ChatPartCall, Parts, part_name};
use super::markets::RequestedMarket;
use super::tool_file::{ChatPart, ParamKind, ParamSpec};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Likeness, Market, truncate_for_message};
use parquote_engine::ResultColumn;

impl Parts<'_> {
    /// Refuses a parameter that none of the called parts takes. A call that continues one part repeats the arguments of all.
    pub(super) fn check_unused(&self) -> Result<(), ClientError> {
        self.check_markets()?;
        self.check_one_market()?;
        let parts = self.tool.file.part.iter();
        let called: Vec<&ChatPart> = parts.filter(|part| self.arguments.requests(part)).collect();
        if self.arguments.cursor.is_some()
            || called.is_empty()
            || called.iter().any(|part| part.built_in.is_some())
        {
            return Ok(());
        }
        let is_unused = |name: &&str| {
            let is_market_param = self.tool.param(name).is_some_and(|param| param.kind == ParamKind::Market);
            !is_market_param && !called.iter().any(|part| self.takes_here(part, name))
        };
        let provided = self.arguments.provided().iter().map(String::as_str);
        let mut unused: Vec<&str> = provided.filter(is_unused).collect();
        // A parameter that no part takes in these markets is named first, because it is wrong whichever parts are called.
        unused.sort_by_key(|name| self.some_part_takes(name));
        unused.first().map_or(Ok(()), |name| Err(self.unused_parameter_error(name, &called)))
    }

    /// Returns a note for each provided parameter that some of the called parts take and others do not. Parameters of every call, numbers
    /// of rows, and parameters that choose parts need no note.
    pub(super) fn partial_notes(&self) -> Vec<String> {
        let is_here =
            |part: &&ChatPart| self.markets.iter().any(|one| self.tool.operation(part, one.market).is_some());
        let parts = self.tool.file.part.iter().filter(|part| self.arguments.requests(part)).filter(is_here);
        let called: Vec<&ChatPart> = parts.collect();
        let is_filter = |name: &str| {
            let is_plain = |param: &ParamSpec| {
                !param.required && !matches!(param.kind, ParamKind::Int | ParamKind::Market)
            };
            self.tool.param(name).is_some_and(is_plain)
                && !called.iter().any(|part| part.when.contains_key(name))
        };
        let note = |name: &String| {
            let (takers, others): (Vec<&ChatPart>, Vec<&ChatPart>) =
                called.iter().copied().partition(|part| self.takes_here(part, name));
            let is_partial = !takers.is_empty() && !others.is_empty() && is_filter(name);
            is_partial.then(|| {
                format!("`{name}` applies to {}, not to {}.", part_list(&takers), part_list(&others))
            })
        };
        self.arguments.provided().iter().filter_map(note).collect()
    }

    /// Returns true if the answer of a part in a market depends on a parameter.
    fn takes_in(&self, part: &ChatPart, market: Market, name: &str) -> bool {
        self.tool.operation(part, market).is_some() && part.takes(market, name)
    }

    fn takes_here(&self, part: &ChatPart, name: &str) -> bool {
        self.markets.iter().any(|one| self.takes_in(part, one.market, name))
    }

    /// Returns true if some part takes a parameter in a market of the call.
    fn some_part_takes(&self, name: &str) -> bool {
        self.tool.file.part.iter().any(|part| self.takes_here(part, name))
    }

    /// Builds the refusal of a parameter that none of the called parts takes.
    fn unused_parameter_error(&self, name: &str, called: &[&ChatPart]) -> ClientError {
        let tool = self.tool;
        let is_here = |market: &Market| self.markets.iter().any(|one| one.market == *market);
        let takes = |market: &Market| tool.file.part.iter().any(|part| self.takes_in(part, *market, name));
        let elsewhere = Market::ALL.into_iter().filter(|market| !is_here(market)).find(takes);
        let why = if let Some(market) = elsewhere.filter(|_| !self.some_part_takes(name)) {
            format!("{} knows it in {market} alone", tool.name)
        } else {
            format!("{} does not take it for what this call answers ({})", tool.name, part_list(called))
        };
        refused::invalid_argument(name, format!("`{name}`: {why}; leave it out"))
    }

    /// Refuses stocks of several markets where all are answered together.
    fn check_one_market(&self) -> Result<(), ClientError> {
        let param = self.tool.file.param.iter().find(|param| param.one_market);
        let Some(param) = param.filter(|_| self.markets.len() > 1) else { return Ok(()) };
        let each: Vec<String> =
            self.markets.iter().map(|one| format!("{} ({})", one.tickers.join(", "), one.market)).collect();
        let message = format!(
            "`{}`: {} answers stocks of one market together; call it once for {}",
            param.name,
            self.tool.name,
            each.join(", and once for ")
        );
        Err(refused::invalid_argument(&param.name, message))
    }

    /// Returns the call whose answer is a picture, if any; an error for several pictures.
    pub(super) fn drawn_call(&self) -> Result<Option<ChatPartCall<'_>>, ClientError> {
        let mut drawn: Vec<_> = self.calls().into_iter().filter(|call| call.part.picture).collect();
        if drawn.len() > 1 {
            let each: Vec<String> =
                drawn.iter().map(|call| format!("{} ({})", part_name(call), call.market)).collect();
            let message = format!(
                "an answer of {} has one picture; this call requests {}; call it once for each",
                self.tool.name,
                each.join(", ")
            );
            return Err(ClientError::new(ErrorKind::BadRequest, message));
        }
        Ok(drawn.pop())
    }

    /// Returns the tickers of each market that no call answers, with the reason. A call that continues one part answers that part only.
    pub(super) fn unanswered_tickers(&self, calls: &[ChatPartCall<'_>]) -> Vec<(String, ClientError)> {
        let is_called = |one: &RequestedMarket| calls.iter().any(|call| call.market == one.market);
        let is_unanswered = |one: &&RequestedMarket| !one.tickers.is_empty() && !is_called(one);
        let unanswered =
            self.markets.iter().filter(|_| self.arguments.cursor.is_none()).filter(is_unanswered);
        let reason = |one: &RequestedMarket| {
            let mut params = self.tool.file.param.iter();
            params.find_map(|param| self.check_values(param, one.market).err()).unwrap_or_else(|| {
                let message = format!("{} has no such answer of {}", self.tool.name, one.market);
                ClientError::new(ErrorKind::BadRequest, message)
            })
        };
        unanswered.map(|one| (one.tickers.join(", "), reason(one))).collect()
    }

    /// Refuses a value that no market of the call has.
    fn check_markets(&self) -> Result<(), ClientError> {
        for param in &self.tool.file.param {
            let checks = self.markets.iter().map(|one| self.check_values(param, one.market));
            let mut refused: Vec<ClientError> = checks.filter_map(Result::err).collect();
            // If only one market lacks it, the parts of that market are refused.
            if refused.len() == self.markets.len()
                && let Some(refused) = refused.pop()
            {
                return Err(refused);
            }
        }
        Ok(())
    }

    /// Refuses values that a market does not have.
    pub(super) fn check_values(&self, param: &ParamSpec, market: Market) -> Result<(), ClientError> {
        let missing = self.arguments.values(&param.name).iter().find(|value| !param.has(value, market));
        let Some(missing) = missing else { return Ok(()) };
        let allowed = param.values.iter().filter(|value| param.has(value, market));
        let allowed = allowed.map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("`{}`: {market} has no `{missing}` in its data; it has {allowed}", param.name);
        Err(refused::invalid_argument(&param.name, message))
    }

    /// Returns the message for arguments that request no part.
    pub(super) fn nothing_requested(&self) -> String {
        let params = self.tool.listed_params().filter(|param| !param.words.is_empty());
        let params: Vec<String> = params.map(|param| format!("`{}`: {}", param.name, param.words)).collect();
        format!(
            "{} needs more to answer, or has no such answer of this market; {}",
            self.tool.name,
            params.join(" ")
        )
    }

    /// Refuses names of columns that the rows of a part do not have.
    pub(super) fn check_columns(&self, part: &ChatPart, columns: &[ResultColumn]) -> Result<(), ClientError> {
        let Some(by) = &part.by else { return Ok(()) };
        let has =
            |name: &str| part.sections.contains_key(name) || columns.iter().any(|column| column.name == name);
        let unknown = self.arguments.values(by).iter().filter(|name| !has(name));
        let messages: Vec<String> = unknown
            .map(|name| {
                let near = near_names(name, columns.iter().map(|column| column.name.as_str()));
                let hint = if near.is_empty() { near } else { format!("; near it are {near}") };
                format!("`{by}`: {} has no column `{}`{hint}", self.tool.name, truncate_for_message(name))
            })
            .collect();
        if messages.is_empty() {
            return Ok(());
        }
        Err(ClientError::new(ErrorKind::BadRequest, messages.join("; ")))
    }
}

/// Returns the names of parts, with commas between them.
fn part_list(parts: &[&ChatPart]) -> String {
    parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the names that are most like an unknown one, with commas between them.
fn near_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    const MOST_SHOWN: usize = 3;
    const LEAST_LIKENESS: f64 = 0.75;
    let name = name.to_lowercase();
    let Some(likeness) = Likeness::new_for(&name) else { return String::new() };
    let mut near: Vec<(f64, &str)> = known.map(|known| (likeness.similarity_to(known), known)).collect();
    near.retain(|(score, _)| *score >= LEAST_LIKENESS);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter().take(MOST_SHOWN).map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}
