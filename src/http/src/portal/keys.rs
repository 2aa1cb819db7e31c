//! The page of keys, and the handlers of its forms.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;

use super::super::page_form::PageForm;
use super::super::page_paths::PORTAL;
use super::super::page_reply;
use super::{Portal, PortalActor, sign_in, status, visitor};
use parquote_access::{Administration, AdministrationError, KeyRequest};
use parquote_catalogue::operation::Tier;
use parquote_explorer::portal::{GRACES, KeysView, LIFETIMES, issued_page, keys_page};

/// Seconds of a day.
const DAY_S: i64 = 86_400;

/// Renders the page of all keys, with the error of the last form.
pub(super) async fn show_keys(
    portal: Arc<Portal>,
    actor: PortalActor,
    status: StatusCode,
    problem: Option<String>,
) -> Response {
    let requester = actor.clone();
    let read =
        portal.blocking(move |administration| Ok((administration.keys(&requester)?, administration.now())));
    match read.await {
        Ok((keys, now)) => {
            let message = portal.take_message(&actor, PORTAL);
            let view = KeysView {
                key: &actor.key,
                keys: &keys,
                now,
                problem: problem.as_deref(),
                message: message.as_deref(),
            };
            page_reply::page(status, keys_page(&portal.reader(&actor), view))
        }
        Err(refused) => page_reply::refusal(refused),
    }
}

/// Issues a key, which is shown once, on the page that answers.
pub(super) async fn issue_key(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let (form, visitor, requester) = (PageForm::from_request(&request), visitor(&request), actor.clone());
    let issued = portal.blocking(move |administration| {
        administration.confirm(&requester, form.get("again"), visitor.from)?;
        administration.issue(&requester, &key_request(&form, administration.now())?)
    });
    match issued.await {
        Ok(issued) => {
            page_reply::page(StatusCode::OK, issued_page(&portal.reader(&actor), "Key issued", &issued))
        }
        Err(refused) => show_keys(portal, actor, status(&refused), Some(refused.message)).await,
    }
}

/// Issues a key in place of another; it is also shown once.
pub(super) async fn rotate(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let (form, visitor, requester) = (PageForm::from_request(&request), visitor(&request), actor.clone());
    let issued = portal.blocking(move |administration| {
        administration.confirm(&requester, form.get("again"), visitor.from)?;
        let grace = GRACES.iter().find(|(value, _, _)| *value == form.get("grace")).map(|(_, _, s)| *s);
        let allowed = "0, 1h, 24h, 3d, 7d";
        let grace = grace.ok_or(AdministrationError::Choice { field: "grace", allowed })?;
        administration.rotate(&requester, number(&form)?, grace)
    });
    match issued.await {
        Ok(issued) => {
            page_reply::page(StatusCode::OK, issued_page(&portal.reader(&actor), "Key rotated", &issued))
        }
        Err(refused) => show_keys(portal, actor, status(&refused), Some(refused.message)).await,
    }
}

/// Revokes a key; revoking the key of the session signs out.
pub(super) async fn revoke(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let (form, requester) = (PageForm::from_request(&request), actor.clone());
    let revoked = portal.blocking(move |administration: &Administration| {
        let id = number(&form)?;
        administration.revoke(&requester, id)?;
        Ok(id)
    });
    match revoked.await {
        Ok(id) if id == actor.key.id => sign_in::session_ended(&portal),
        Ok(id) => portal.redirect_with_message(
            &actor,
            PORTAL,
            format!("Key {id} is revoked and cannot be used any more."),
        ),
        Err(refused) => show_keys(portal, actor, status(&refused), Some(refused.message)).await,
    }
}

fn number(form: &PageForm) -> Result<i64, AdministrationError> {
    form.number("id").ok_or(AdministrationError::Gone("key"))
}

fn key_request(form: &PageForm, now: i64) -> Result<KeyRequest, AdministrationError> {
    let allowed = "90, 30, 365, none";
    let lifetime = LIFETIMES.iter().find(|(value, _, _)| *value == form.get("lifetime"));
    let (_, _, days) = lifetime.ok_or(AdministrationError::Choice { field: "lifetime", allowed })?;
    let allowed = "free, premium_web, professional_web, api_pro, api_max";
    let tier: Tier =
        form.get("tier").parse().map_err(|_| AdministrationError::Choice { field: "tier", allowed })?;
    Ok(KeyRequest {
        owner: Some(form.get("owner").to_owned()),
        label: form.get("label").to_owned(),
        tier,
        expires_at: days.map(|days| now.saturating_add(days * DAY_S)),
        is_admin: form.get("admin") == "yes",
        may_account: form.get("account") == "yes",
    })
}
