//! The pages of sessions and of the log.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;

use super::super::page_form::PageForm;
use super::super::page_reply;
use super::{Portal, PortalActor, sign_in};
use parquote_access::AdministrationError;
use parquote_explorer::portal::{activity_page, sessions_page};

const SESSIONS: &str = "/portal/sessions";

/// Renders the signed-in browsers.
pub(super) async fn show_sessions(portal: Arc<Portal>, actor: PortalActor) -> Response {
    let requester = actor.clone();
    let read = portal.blocking(move |administration| administration.sessions(&requester)).await;
    page_reply::page_or_refusal(read.map(|sessions| {
        let message = portal.take_message(&actor, SESSIONS);
        sessions_page(&portal.reader(&actor), &sessions, message.as_deref())
    }))
}

/// Ends a session; ending the request's own session signs out.
pub(super) async fn end(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let (form, requester) = (PageForm::from_request(&request), actor.clone());
    let ended = portal.blocking(move |administration| {
        let number = form.number("number").ok_or(AdministrationError::Gone("session"))?;
        administration.end_session(&requester, number)?;
        Ok(number)
    });
    match ended.await {
        Ok(number) if number == actor.session => sign_in::session_ended(&portal),
        Ok(number) => portal.redirect_with_message(&actor, SESSIONS, format!("Session {number} has ended.")),
        Err(refused) => page_reply::refusal(refused),
    }
}

/// Renders the activity log.
pub(super) async fn log(portal: Arc<Portal>, actor: PortalActor) -> Response {
    let requester = actor.clone();
    let read = portal.blocking(move |administration| administration.activity(&requester)).await;
    page_reply::page_or_refusal(read.map(|lines| activity_page(&portal.reader(&actor), &lines)))
}
