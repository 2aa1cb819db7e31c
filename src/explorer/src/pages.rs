//! All pages, as the files under `queries/pages` declare them, with the operations that they name looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::spec::{Argument, CallSpec, ORDER, PageSpec, PartSpec, REFRESH, SYMBOL};
use super::stock_tables;
use super::view_spec::{ActionSpec, View};
use parquote_catalogue::operation::{
    Access, Catalogue, DeclarationError, Effect, Market, Operation, Presentation, Tier, hint, is_embedded,
    line_of, read_declarations, read_toml,
};
use parquote_engine::Snapshot;

/// Folder of the declarations, below `queries/`.
pub const FOLDER: &str = "pages/";

/// Name of the file of a market's first page.
const INDEX: &str = "index";

/// The pages of both markets.
#[derive(Debug, Default)]
pub struct ExplorerPages {
    /// In the order of the menu.
    pages: Vec<Arc<PageSpec>>,
    /// A hash of all declarations, for entity tags.
    fingerprint: u64,
}

/// A mistake in a declaration: a word near it, and a message.
type Mistake = (String, String);

impl ExplorerPages {
    /// Reads the declarations that a catalogue carries.
    ///
    /// # Errors
    /// The first mistake of each file that has one, at its line.
    pub fn from_catalogue(catalogue: &Catalogue) -> Result<Self, Vec<DeclarationError>> {
        Self::from_files(catalogue, catalogue.declarations(FOLDER))
    }

    /// Reads declarations; `files` are pairs of a path below `queries/` and a text.
    ///
    /// # Errors
    /// As [`ExplorerPages::from_catalogue`].
    pub fn from_files<'a>(
        catalogue: &Catalogue,
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Vec<DeclarationError>> {
        let files: Vec<(&str, &str)> = files.collect();
        let mut hasher = DefaultHasher::new();
        files.hash(&mut hasher);
        let read = |file: &str, text: &str| read(file, text, catalogue, &files).map(Arc::new);
        let mut pages = read_declarations(files.iter().copied(), read)?;
        pages.sort_by(|one, other| (one.place, &one.path).cmp(&(other.place, &other.path)));
        Ok(Self { pages, fingerprint: hasher.finish() })
    }

    /// Returns a hash of all declarations.
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns all pages, in the order of the menu.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<PageSpec>> {
        self.pages.iter()
    }

    /// Returns the pages of a market.
    pub fn in_market(&self, market: Market) -> impl Iterator<Item = &Arc<PageSpec>> {
        self.pages.iter().filter(move |page| page.is_in(market))
    }

    /// Returns the tabs of all sections in a market: the pages whose tables exist, or all of them if the market has no data.
    pub(crate) fn in_menu<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        market: Market,
    ) -> impl Iterator<Item = &'a Arc<PageSpec>> {
        let is_served = move |page: &PageSpec| {
            page.deciding_part(market)
                .and_then(|position| page.parts.get(position))
                .is_none_or(|part| is_served(part, snapshot, market))
        };
        let is_tab = |page: &PageSpec| page.section.is_some() && !page.is_linked;
        self.in_market(market).filter(move |page| is_tab(page) && is_served(page))
    }

    /// Returns the page of a declared path, such as `company/{symbol}`.
    pub fn find(&self, path: &str) -> Option<&Arc<PageSpec>> {
        self.pages.iter().find(|page| page.path == path)
    }

    /// Returns the page at a path below a market, such as `company/ABC`, with the symbol as the path has it.
    pub fn page_at<'a>(&self, market: Market, path: &'a str) -> Option<(&Arc<PageSpec>, Option<&'a str>)> {
        let symbol_in = |page: &PageSpec| {
            let (before, after) = page.path.split_once(SYMBOL)?;
            let symbol = path.strip_prefix(before)?.strip_suffix(after)?;
            (!symbol.is_empty() && !symbol.contains('/')).then_some(symbol)
        };
        let exact = self.in_market(market).find(|page| page.path == path).map(|page| (page, None));
        exact.or_else(|| self.in_market(market).find_map(|page| Some((page, Some(symbol_in(page)?)))))
    }

    /// Returns the tabs of the pages about the same subject in a market, as path and label. A tab is left out if the market lacks the
    /// tables of all its parts except the shared one.
    pub(crate) fn subject_tabs<'a>(
        &'a self,
        page: &'a PageSpec,
        snapshot: &Snapshot,
        market: Market,
    ) -> Vec<(&'a str, &'a str)> {
        let owner = page.tabs_of.as_deref().and_then(|path| self.find(path)).map_or(page, AsRef::as_ref);
        let operation = |part: &PartSpec| part.call(market).map(|call| call.operation.clone());
        // Each tab begins with the figures of the first one.
        let shared = owner.parts.first().and_then(operation);
        let has_tables = |page: &PageSpec| {
            let is_specific = |part: &&PartSpec| operation(part).is_some_and(|name| Some(name) != shared);
            let specific: Vec<&PartSpec> = page.parts.iter().filter(is_specific).collect();
            if specific.is_empty() {
                return page.is_in(market);
            }
            // Optional parts do not count if the page has others.
            let has_others = specific.iter().any(|part| !part.is_optional);
            let mut deciding = specific.iter().filter(|part| !has_others || !part.is_optional);
            deciding.any(|part| is_served(part, snapshot, market))
        };
        let is_there = |path: &str| path == page.path || self.find(path).is_some_and(|tab| has_tables(tab));
        let present = owner.tabs.iter().filter(|(path, _)| is_there(path));
        present.map(|(path, label)| (path.as_str(), label.as_str())).collect()
    }
}

/// Returns the tier that the deciding operation of a page needs without parameters; `None` if everyone may call it.
pub(crate) fn needed_tier(page: &PageSpec, snapshot: &Snapshot, market: Market) -> Option<Tier> {
    let unconditional = page.parts.iter().filter(|part| part.with.is_none() && part.call(market).is_some());
    let deciding =
        unconditional.clone().find(|part| part.takes_query).or_else(|| unconditional.clone().next());
    let call = deciding.or_else(|| page.parts.get(page.deciding_part(market)?))?.call(market)?;
    match snapshot.engine().catalogue().operation(&call.operation)?.access {
        Access::Public => None,
        Access::From(tier) => Some(tier),
    }
}

/// Returns true if a market has the tables of a part, or no data at all.
fn is_served(part: &PartSpec, snapshot: &Snapshot, market: Market) -> bool {
    let call = part.call(market);
    let operation = call.and_then(|call| snapshot.engine().catalogue().operation(&call.operation));
    let prepared = operation.and_then(|operation| snapshot.prepared_operation(operation, market));
    snapshot.as_of(market).is_none() || prepared.is_none_or(|prepared| prepared.missing().is_empty())
}

/// Returns the path of the page that a file declares.
fn page_path(file: &str) -> Option<&str> {
    let path = file.strip_prefix(FOLDER)?.strip_suffix(".toml")?;
    Some(if path == INDEX { "" } else { path })
}

fn read(
    file: &str,
    text: &str,
    catalogue: &Catalogue,
    files: &[(&str, &str)],
) -> Result<PageSpec, (usize, String)> {
    let path = page_path(file).ok_or_else(|| (1, "a page is a `.toml` file".to_owned()))?;
    let mut page: PageSpec = read_toml(text)?;
    if let Some(first) = page.begins_as.as_deref().and_then(|path| first_part(path, files)) {
        page.parts.insert(0, first);
    }
    stock_tables::complete(&mut page)?;
    path.clone_into(&mut page.path);
    page.name = format!("pages/{path}").trim_end_matches('/').into();
    // A user-written file may replace an operation and lack what a built-in page shows; the page then leaves that out.
    let is_checked = !is_embedded(file, text);
    let paths: Vec<&str> = files.iter().filter_map(|(file, _)| page_path(file)).collect();
    look_up(&mut page, is_checked, catalogue, &paths).map_err(|(part, (near, message))| {
        let start = part.and_then(|id| text.find(&format!("id = \"{id}\""))).unwrap_or_default();
        let at = text.get(start..).and_then(|rest| rest.find(&near)).map_or(start, |byte| start + byte);
        (line_of(text, at), message)
    })?;
    Ok(page)
}

/// Returns the first part of the page with this path; `None` if there is no such page, or its file has a mistake.
fn first_part(path: &str, files: &[(&str, &str)]) -> Option<PartSpec> {
    let (_, text) = files.iter().find(|(file, _)| page_path(file) == Some(path))?;
    read_toml::<PageSpec>(text).ok()?.parts.into_iter().next()
}

/// Looks up the pages and operations that a page names, and stores the calls of its parts. An error also has the id of the part.
fn look_up(
    page: &mut PageSpec,
    is_checked: bool,
    catalogue: &Catalogue,
    paths: &[&str],
) -> Result<(), (Option<String>, Mistake)> {
    let tabs = page.tabs.iter().map(|(path, _)| path).chain(&page.tabs_of).chain(&page.begins_as);
    if let Some(path) = tabs.into_iter().find(|path| !paths.contains(&path.as_str())) {
        let message = format!("there is no page `{path}`{}", hint(path, paths.iter().copied()));
        return Err((None, (path.clone(), message)));
    }
    let mut parts = std::mem::take(&mut page.parts);
    let mut ids = BTreeSet::new();
    for part in &mut parts {
        let has_own_id = ids.insert(part.id.clone());
        let looked_up = look_up_calls(part, catalogue);
        let checked = looked_up.and_then(|()| check_part(page, part, has_own_id, catalogue));
        checked.or_else(|mistake| if is_checked { Err((Some(part.id.clone()), mistake)) } else { Ok(()) })?;
    }
    page.parts = parts;
    if is_checked {
        check_choices(page).map_err(|mistake| (None, mistake))?;
    }
    Ok(())
}

fn look_up_calls(part: &mut PartSpec, catalogue: &Catalogue) -> Result<(), Mistake> {
    let mut calls = [None, None];
    for (call, market) in calls.iter_mut().zip(Market::ALL) {
        *call = call_in(part, market, catalogue)?;
    }
    part.calls = calls;
    Ok(())
}

/// Refuses keys of the page that have no effect: `tabs` beside `tabs_of`, and a choice that no argument uses.
fn check_choices(page: &PageSpec) -> Result<(), Mistake> {
    if page.tabs_of.is_some() && !page.tabs.is_empty() {
        return fail(
            "tabs =",
            "`tabs` has no effect beside `tabs_of`: the page shows the tabs of that page".to_owned(),
        );
    }
    for choice in &page.choice {
        let name = &choice.name;
        if [ORDER, REFRESH].contains(&choice.parameter()) {
            let parameter = choice.parameter();
            let message = format!("every page has the parameter `{parameter}`; give the choice another one");
            return fail(&format!("\"{parameter}\""), message);
        }
        let source = format!("$choice.{name}");
        let takes = |arguments: &BTreeMap<String, String>| {
            arguments.values().flat_map(|text| text.split(',')).any(|text| text.trim() == source)
        };
        if !page
            .parts
            .iter()
            .any(|part| takes(&part.arguments) || part.us_arguments.as_ref().is_some_and(takes))
        {
            return fail(
                &format!("\"{name}\""),
                format!("the choice `{name}` has no effect: no argument is `{source}`"),
            );
        }
    }
    Ok(())
}

/// Refuses keys of a part that have no effect in the only market that it has.
fn check_keys(part: &PartSpec) -> Result<(), Mistake> {
    let market = part.market.as_deref().map(str::parse::<Market>).transpose();
    let idle = match market.map_err(|message| ("market =".to_owned(), message))? {
        Some(Market::India) if part.us.is_some() => "us",
        Some(Market::India) if part.us_arguments.is_some() => "us_arguments",
        Some(Market::Us) if part.us.is_some() && part.operation.is_some() => "operation",
        Some(Market::Us) if part.us_arguments.is_some() && !part.arguments.is_empty() => "arguments",
        _ => return Ok(()),
    };
    let market = part.market.as_deref().unwrap_or_default();
    fail(&format!("{idle} ="), format!("`{idle}` has no effect in a part with `market = \"{market}\"`"))
}

fn check_part(
    page: &PageSpec,
    part: &PartSpec,
    has_own_id: bool,
    catalogue: &Catalogue,
) -> Result<(), Mistake> {
    if !has_own_id {
        return fail(&part.id, format!("two parts have the id `{}`", part.id));
    }
    check_keys(part)?;
    if part.calls.iter().all(Option::is_none) {
        return fail(&part.id, format!("the part `{}` names no operation", part.id));
    }
    for call in part.calls.iter().flatten() {
        let Some(operation) = catalogue.operation(&call.operation) else { continue };
        for (name, argument) in &call.arguments {
            check_argument(page, operation, name, argument)
                .map_err(|message| (format!("{name} ="), message))?;
        }
    }
    check_views(page, part, catalogue)
}

/// Returns the call of a part in a market, if it has one there.
fn call_in(part: &PartSpec, market: Market, catalogue: &Catalogue) -> Result<Option<CallSpec>, Mistake> {
    if part.market.as_deref().is_some_and(|only| only != market.word()) {
        return Ok(None);
    }
    let Some(operation) = operation_in(part, market, catalogue)? else { return Ok(None) };
    let declared = part.us_arguments.as_ref().filter(|_| market == Market::Us).unwrap_or(&part.arguments);
    let mut arguments = Vec::new();
    for (name, text) in declared {
        let argument = Argument::parse(text).map_err(|message| (text.clone(), message))?;
        arguments.push((name.clone(), argument));
    }
    Ok(Some(CallSpec { operation: operation.name.clone(), arguments }))
}

/// Returns the operation of a part in a market; an operation that reads no tables, such as the keys of an account, is the same in both.
fn operation_in<'a>(
    part: &PartSpec,
    market: Market,
    catalogue: &'a Catalogue,
) -> Result<Option<&'a Arc<Operation>>, Mistake> {
    let find = |name: &str| {
        let names = catalogue.operations().iter().map(|operation| operation.name.as_str());
        let message = || format!("there is no operation `{name}`{}", hint(name, names));
        catalogue.operation(name).ok_or_else(|| (name.to_owned(), message()))
    };
    match (market, &part.us, &part.operation) {
        (Market::Us, Some(us), _) => find(us).map(Some),
        (_, _, None) => Ok(None),
        (Market::India, _, Some(name)) => find(name).map(Some),
        (Market::Us, None, Some(name)) => {
            let operation = find(name)?;
            let serves = operation.serves(market) || operation.selects.is_empty();
            Ok(catalogue.operation(&format!("us/{name}")).or(Some(operation).filter(|_| serves)))
        }
    }
}

fn check_argument(
    page: &PageSpec,
    operation: &Operation,
    name: &str,
    argument: &Argument,
) -> Result<(), String> {
    if Presentation::is_param(name) {
        return Ok(());
    }
    let Some(param) = operation.param(name) else {
        let known = operation.params.iter().map(|param| param.name.as_str());
        return Err(format!("{} has no parameter `{name}`{}", operation.name, hint(name, known)));
    };
    let values: Vec<&str> = match argument {
        Argument::Fixed(value) => vec![value],
        Argument::Choice(choice) => {
            let choice = page.choice(choice).ok_or_else(|| format!("the page has no choice `{choice}`"))?;
            choice.words.iter().map(|(_, value)| value.as_str()).collect()
        }
        _ => Vec::new(),
    };
    for value in values {
        param.value(value, Tier::ApiMax).map_err(|wrong| format!("`{name}`: {wrong}"))?;
    }
    Ok(())
}

fn check_views(page: &PageSpec, part: &PartSpec, catalogue: &Catalogue) -> Result<(), Mistake> {
    for view in &part.views {
        match view {
            View::Choices(name) | View::Spans(name) if page.choice(name).is_none() => {
                return fail(name, format!("the page has no choice `{name}`"));
            }
            View::Drawn(drawn) => {
                let operations = part.calls.iter().flatten();
                for operation in operations.filter_map(|call| catalogue.operation(&call.operation)) {
                    drawn.check(operation).map_err(|message| (operation.name.clone(), message))?;
                }
            }
            View::Files => {
                let operations = part.calls.iter().flatten();
                let mut operations = operations.filter_map(|call| catalogue.operation(&call.operation));
                if let Some(other) = operations.find(|operation| !operation.has_workbook) {
                    return fail("\"files\"", format!("{} has no workbook", other.name));
                }
            }
            View::Action(action) => check_action(action, catalogue)?,
            View::Watchlists(actions) => {
                actions.iter().try_for_each(|action| check_action(action, catalogue))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_action(action: &ActionSpec, catalogue: &Catalogue) -> Result<(), Mistake> {
    let name = &action.operation;
    let changes = |operation: &&Arc<Operation>| operation.effect != Effect::Reads;
    let Some(operation) = catalogue.operation(name).filter(changes) else {
        return fail(name, format!("there is no operation `{name}` that changes something"));
    };
    match action.known.iter().find(|name| operation.param(name).is_none()) {
        Some(unknown) => fail(unknown, format!("{} has no parameter `{unknown}`", operation.name)),
        None => Ok(()),
    }
}

fn fail<T>(near: &str, message: String) -> Result<T, Mistake> {
    Err((near.to_owned(), message))
}
