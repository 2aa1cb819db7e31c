//! The page of sources, and the consent to the terms of a host.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;

use super::super::page_form::PageForm;
use super::super::page_reply;
use super::sets::reloading;
use super::{Portal, PortalActor, client_error, status};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_explorer::portal::sources_page;

/// Path of the page.
const SOURCES: &str = "/portal/sources";

/// Renders the sources of raw files and the plan of a fetch, with the error of the last form.
pub(super) async fn show_sources(
    portal: Arc<Portal>,
    actor: PortalActor,
    problem: Option<ClientError>,
) -> Response {
    let data = match portal.data_for(&actor) {
        Ok(data) => data.clone(),
        Err(refused) => return page_reply::refusal(refused),
    };
    let read = portal.blocking_as(move |_| (data.sources)().map(|view| (view, data.sets.progress()))).await;
    match read {
        Ok(Ok((view, progress))) => {
            let done = portal.take_message(&actor, SOURCES);
            let message = match &problem {
                Some(problem) => Err(problem.message.as_str()),
                None => Ok(done.as_deref()),
            };
            let page = sources_page(&portal.reader(&actor), &view, progress.as_deref(), message);
            let code = problem.as_ref().map_or(StatusCode::OK, status);
            reloading(page_reply::page(code, page), progress.is_some() && problem.is_none())
        }
        Ok(Err(message)) => page_reply::refusal(ClientError::new(ErrorKind::Unavailable, message)),
        Err(refused) => page_reply::refusal(refused),
    }
}

/// Accepts the terms of a host, so that the next fetch sends requests to it.
pub(super) async fn agree(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let form = PageForm::from_request(&request);
    match accept_terms(&portal, &actor, &form).await {
        Ok(group) => {
            let done = format!("You agreed to the terms of {group}. The next fetch asks it for files.");
            portal.redirect_with_message(&actor, SOURCES, done)
        }
        Err(refused) => show_sources(portal, actor, Some(refused)).await,
    }
}

/// Stores the consent and logs it; returns the host group.
async fn accept_terms(
    portal: &Arc<Portal>,
    actor: &PortalActor,
    form: &PageForm,
) -> Result<String, ClientError> {
    let accept = Arc::clone(&portal.data_for(actor)?.accept_terms);
    let group = form.get("group").to_owned();
    if form.get("agreed") != "yes" || group.is_empty() {
        let message = "tick that you have read the terms of the host; without that it gets no request";
        return Err(ClientError::new(ErrorKind::BadRequest, message));
    }
    let (requester, group_name) = (actor.clone(), group.clone());
    let stored = portal.blocking_as(move |administration| {
        accept(&group_name).map_err(|message| ClientError::new(ErrorKind::BadRequest, message))?;
        administration.log_action(&requester, "agreed to terms", &group_name).map_err(client_error)
    });
    stored.await??;
    Ok(group)
}
