//! The pages of sets, and the rollback. Sets and sources concern all owners, so each request needs an admin key.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use tokio::runtime::Handle;

use super::super::data_pages::SetsAndSources;
use super::super::page_form::PageForm;
use super::super::reply::REFRESH;
use super::super::{page_reply, query};
use super::{Portal, PortalActor, status};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_explorer::portal::{SetsView, set_difference_page, sets_page};
use parquote_refresh::{RefreshError, SetAdministration, SetAdministrationError};

/// Path of the page of sets.
const SETS: &str = "/portal/sets";
/// Seconds between two reloads of a page that shows progress.
const RELOAD_S: HeaderValue = HeaderValue::from_static("5");

impl Portal {
    /// Returns the sets and sources, only for an admin key.
    pub(super) fn data_for(&self, actor: &PortalActor) -> Result<&SetsAndSources, ClientError> {
        if !actor.key.is_admin {
            let message = "only an admin key opens the sets and sources of the server; sign in with one";
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        let missing =
            || ClientError::new(ErrorKind::NotFound, "this server has no pages of sets and sources");
        self.data.as_ref().ok_or_else(missing)
    }

    /// Runs work on the sets, on a thread that may wait for the disk.
    async fn run_on_sets<T: Send + 'static>(
        self: &Arc<Self>,
        actor: &PortalActor,
        work: impl AsyncFnOnce(&SetAdministration) -> Result<T, SetAdministrationError> + Send + 'static,
    ) -> Result<T, ClientError> {
        let (sets, runtime) = (Arc::clone(&self.data_for(actor)?.sets), Handle::current());
        self.blocking_as(move |_| runtime.block_on(work(sets.as_ref()))).await?.map_err(refusal_of)
    }
}

fn refusal_of(error: SetAdministrationError) -> ClientError {
    let kind = match &error {
        SetAdministrationError::Changed { .. } | SetAdministrationError::Failed(RefreshError::Set(_)) => {
            ErrorKind::BadRequest
        }
        SetAdministrationError::NoSets => ErrorKind::NotFound,
        SetAdministrationError::Busy | SetAdministrationError::Failed(_) => ErrorKind::Unavailable,
    };
    let message = error.to_string();
    ClientError::from_cause(kind, message, error)
}

/// Renders the sets of all markets, with the error of the last form.
pub(super) async fn show_sets(
    portal: Arc<Portal>,
    actor: PortalActor,
    problem: Option<ClientError>,
) -> Response {
    let listed = portal.run_on_sets(&actor, async |sets: &SetAdministration| sets.markets().await).await;
    match (listed, portal.data_for(&actor)) {
        (Ok(markets), Ok(data)) => {
            let (progress, message) = (data.sets.progress(), portal.take_message(&actor, SETS));
            let view = SetsView {
                markets: &markets,
                progress: progress.as_deref(),
                problem: problem.as_ref().map(|problem| problem.message.as_str()),
                message: message.as_deref(),
            };
            let code = problem.as_ref().map_or(StatusCode::OK, status);
            let page = page_reply::page(code, sets_page(&portal.reader(&actor), view));
            reloading(page, progress.is_some() && problem.is_none())
        }
        (Err(refused), _) | (_, Err(refused)) => page_reply::refusal(refused),
    }
}

/// Makes a browser reload a page that shows progress.
pub(super) fn reloading(mut page: Response, has_progress: bool) -> Response {
    if has_progress {
        page.headers_mut().insert(REFRESH, RELOAD_S);
    }
    page
}

/// Renders the changes between two sets.
pub(super) async fn show_changes(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let get = |name: &str| pairs.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_ref());
    let market = get("market").and_then(|market| market.parse::<Market>().ok());
    let number = |name| get(name).and_then(|number| number.parse::<u64>().ok());
    let (Some(market), Some(before), Some(after)) = (market, number("before"), number("after")) else {
        let message = "name a market and two sets, as in `market=india&before=1&after=2`";
        return page_reply::refusal(ClientError::new(ErrorKind::BadRequest, message));
    };
    let numbers = [before, after];
    let work = async move |sets: &SetAdministration| sets.difference(market, numbers).await;
    let read = portal.run_on_sets(&actor, work).await;
    page_reply::page_or_refusal(
        read.map(|difference| set_difference_page(&portal.reader(&actor), market, numbers, &difference)),
    )
}

/// Publishes the content of an earlier set again.
pub(super) async fn roll_back(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let form = PageForm::from_request(&request);
    let number = |name| form.number(name).and_then(|number| u64::try_from(number).ok());
    let fields = (form.get("market").parse::<Market>(), number("to"), number("newest"));
    let (Ok(market), Some(to), Some(newest)) = fields else {
        let message = "the form names no market or no set; send it from the page of sets";
        return show_sets(portal, actor, Some(ClientError::new(ErrorKind::BadRequest, message))).await;
    };
    let work = async move |sets: &SetAdministration| sets.roll_back(market, to, newest).await;
    let set = match portal.run_on_sets(&actor, work).await {
        Ok(set) => set.number,
        Err(refused) => return show_sets(portal, actor, Some(refused)).await,
    };
    let (requester, detail) = (actor.clone(), format!("{market}: set {set} has the content of set {to}"));
    let done = format!("{detail}. No set was deleted.");
    let logged = portal
        .blocking(move |administration| administration.log_action(&requester, "rolled back a set", &detail));
    if let Err(error) = logged.await {
        tracing::warn!(%market, set, to, error = error.message, "a rollback is not in the activity log");
    }
    portal.redirect_with_message(&actor, SETS, done)
}
