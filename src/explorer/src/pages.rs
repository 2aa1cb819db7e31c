//! All pages, as the files under `queries/pages` declare them, with the operations that they name looked up.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::spec::{ActionSpec, Argument, CallSpec, PageSpec, PartSpec, SYMBOL, View};
use parquote_catalogue::operation::{
    Catalogue, DeclarationError, Effect, Market, Operation, Presentation, Tier, is_embedded, line_of,
    nearest, read_toml,
};

/// The folder of the declarations, below `queries/`.
pub const FOLDER: &str = "pages/";

/// The file of the first page of a market.
const INDEX: &str = "index";

/// All pages.
#[derive(Debug, Default)]
pub struct ExplorerPages {
    /// In the order of the menu.
    pages: Vec<Arc<PageSpec>>,
    /// A hash of all files, for entity tags.
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

    /// Reads declarations, given as path below `queries/` and text.
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
        let paths: Vec<&str> = files.iter().filter_map(|(file, _)| page_path(file)).collect();
        let (mut pages, mut errors) = (Vec::new(), Vec::new());
        for (file, text) in files {
            match read(file, text, catalogue, &paths) {
                Ok(page) => pages.push(Arc::new(page)),
                Err((line, message)) => {
                    errors.push(DeclarationError { file: file.to_owned(), line, message });
                }
            }
        }
        pages.sort_by(|one, other| (one.place, &one.path).cmp(&(other.place, &other.path)));
        if errors.is_empty() { Ok(Self { pages, fingerprint: hasher.finish() }) } else { Err(errors) }
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

    /// Returns the page of a declared path, such as `company/{symbol}`.
    pub fn find(&self, path: &str) -> Option<&Arc<PageSpec>> {
        self.pages.iter().find(|page| page.path == path)
    }

    /// Returns the page of a path below a market, such as `company/ABC`, with the symbol as it is in the path.
    pub fn at<'a>(&self, market: Market, path: &'a str) -> Option<(&Arc<PageSpec>, Option<&'a str>)> {
        let symbol_in = |page: &PageSpec| {
            let (before, after) = page.path.split_once(SYMBOL)?;
            let symbol = path.strip_prefix(before)?.strip_suffix(after)?;
            (!symbol.is_empty() && !symbol.contains('/')).then_some(symbol)
        };
        let literal = self.in_market(market).find(|page| page.path == path).map(|page| (page, None));
        literal.or_else(|| self.in_market(market).find_map(|page| Some((page, Some(symbol_in(page)?)))))
    }

    /// Returns the tabs of a page in a market: path and label.
    pub(crate) fn tabs<'a>(&'a self, page: &'a PageSpec, market: Market) -> Vec<(&'a str, &'a str)> {
        let owner = page.tabs_of.as_deref().and_then(|path| self.find(path));
        let tabs = owner.map_or(&page.tabs, |owner| &owner.tabs).iter();
        let is_there = |path: &str| self.find(path).is_some_and(|page| page.is_in(market));
        tabs.filter(|(path, _)| is_there(path)).map(|(path, label)| (path.as_str(), label.as_str())).collect()
    }
}

/// Returns the path of the page that a file declares.
fn page_path(file: &str) -> Option<&str> {
    let path = file.strip_prefix(FOLDER)?.strip_suffix(".toml")?;
    Some(if path == INDEX { "" } else { path })
}

fn read(file: &str, text: &str, catalogue: &Catalogue, paths: &[&str]) -> Result<PageSpec, (usize, String)> {
    let path = page_path(file).ok_or_else(|| (1, "a page is a `.toml` file".to_owned()))?;
    let mut page: PageSpec = read_toml(text)?;
    path.clone_into(&mut page.path);
    page.name = format!("pages/{path}").trim_end_matches('/').into();
    // An operation that a user-written file replaces may lack what a built-in page shows of it: the page does without.
    let is_checked = !is_embedded(file, text);
    look_up(&mut page, is_checked, catalogue, paths).map_err(|(part, (near, message))| {
        let start = part.and_then(|id| text.find(&format!("id = \"{id}\""))).unwrap_or_default();
        let at = text.get(start..).and_then(|rest| rest.find(&near)).map_or(start, |byte| start + byte);
        (line_of(text, at), message)
    })?;
    Ok(page)
}

/// Looks up all that a page names, and stores the calls of its parts. An error also has the id of the part.
fn look_up(
    page: &mut PageSpec,
    is_checked: bool,
    catalogue: &Catalogue,
    paths: &[&str],
) -> Result<(), (Option<String>, Mistake)> {
    let tabs = page.tabs.iter().map(|(path, _)| path).chain(&page.tabs_of);
    if let Some(path) = tabs.into_iter().find(|path| !paths.contains(&path.as_str())) {
        let message = format!("there is no page `{path}`{}", near(path, paths.iter().copied()));
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

fn check_part(
    page: &PageSpec,
    part: &PartSpec,
    has_own_id: bool,
    catalogue: &Catalogue,
) -> Result<(), Mistake> {
    if !has_own_id {
        return fail(&part.id, format!("two parts have the id `{}`", part.id));
    }
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

/// Returns the operation of a part in a market; one that reads no tables, such as the keys of an account, is the same in both.
fn operation_in<'a>(
    part: &PartSpec,
    market: Market,
    catalogue: &'a Catalogue,
) -> Result<Option<&'a Arc<Operation>>, Mistake> {
    let named = |name: &str| {
        let names = catalogue.operations().iter().map(|operation| operation.name.as_str());
        let message = || format!("there is no operation `{name}`{}", near(name, names));
        catalogue.operation(name).ok_or_else(|| (name.to_owned(), message()))
    };
    match (market, &part.us, &part.operation) {
        (Market::Us, Some(us), _) => named(us).map(Some),
        (_, _, None) => Ok(None),
        (Market::India, _, Some(name)) => named(name).map(Some),
        (Market::Us, None, Some(name)) => {
            let of_both = named(name)?;
            let serves = of_both.serves(market) || of_both.selects.is_empty();
            Ok(catalogue.operation(&format!("us/{name}")).or(Some(of_both).filter(|_| serves)))
        }
    }
}

fn check_argument(
    page: &PageSpec,
    operation: &Operation,
    name: &str,
    argument: &Argument,
) -> Result<(), String> {
    if Presentation::is_asked_with(name) {
        return Ok(());
    }
    let Some(param) = operation.param(name) else {
        let known = operation.params.iter().map(|param| param.name.as_str());
        return Err(format!("{} has no parameter `{name}`{}", operation.name, near(name, known)));
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
            View::Drawn(_) => {
                let operations = part.calls.iter().flatten();
                let mut operations = operations.filter_map(|call| catalogue.operation(&call.operation));
                if let Some(undrawn) = operations.find(|operation| !operation.has_picture()) {
                    return fail(&undrawn.name, format!("{} declares no picture", undrawn.name));
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

fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}
