//! The router: one route for each operation that has one, and the documents about them. No route of the catalogue is declared by hand.

use std::collections::HashSet;
use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::Router;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::http::header::{HeaderName, HeaderValue};
use axum::response::{IntoResponse as _, Redirect};
use axum::routing::{MethodRouter, get};
use futures::FutureExt as _;
use tokio::sync::Semaphore;

use super::app_state::AppState;
use super::asset_route::asset;
use super::caller_limits::{CallerBounds, CallerLimits};
use super::document::ServedDocument;
use super::flash_messages::FlashMessages;
use super::manual_routes::{add_guide_pages, add_operation_pages};
use super::middleware::middleware;
use super::mount::Mount;
use super::oauth::{self, OAuth};
use super::operation::OperationRoute;
use super::page_paths::FIRST_PAGE;
use super::paths::{DOCS, FILES, OPENAPI, ROOT};
use super::portal::{self, Portal};
use super::reply::HTML;
use super::request_id::RequestIds;
use super::route_table::{OperationRoutes, RouteTable};
use super::routes::Routes;
use super::settings::HttpSettings;
use super::trailing_slash::with_path;
use super::{docs, explorer, exported_file, paths, reply, unknown};
use parquote_call::{HEALTH, STATUS, Service};
use parquote_catalogue::operation::{Access, Catalogue, Operation};
use parquote_engine::Snapshot;
use parquote_explorer::assets as explorer_assets;
use parquote_explorer::pages::ExplorerPages;
use parquote_explorer::portal::portal_asset;
use parquote_surface::asset::ColourScheme;
use parquote_surface::guides::guides;
use parquote_surface::openapi;

const BUILD: HeaderName = HeaderName::from_static("x-build");

/// Builds the REST routes of a service.
pub fn router(service: Arc<Service>, settings: HttpSettings) -> Routes {
    router_with(service, settings, Vec::new())
}

/// Builds the REST routes of a service, and mounts further protocols.
pub fn router_with(service: Arc<Service>, settings: HttpSettings, mounts: Vec<Mount>) -> Routes {
    let operations: Vec<Arc<Operation>> =
        service.catalogue().operations().iter().filter(|operation| operation.has_route).cloned().collect();
    let mut paths: Vec<String> = operations.iter().map(|operation| route(operation)).collect();
    paths.extend([OPENAPI.to_owned(), DOCS.to_owned()]);
    paths.extend(mounts.iter().flat_map(super::mount::Mount::paths).map(|path| (*path).to_owned()));
    settings.metrics.add_service(&service);
    let openapi =
        |catalogue: &Catalogue, snapshot: &Snapshot, _: ColourScheme| openapi::bytes(catalogue, snapshot);
    let state = Arc::new(AppState {
        open_paths: open_paths(service.catalogue()),
        mounts,
        permits: Semaphore::new(settings.concurrent_requests),
        flash_messages: FlashMessages::default(),
        callers: CallerLimits::new(CallerBounds {
            at_once: settings.concurrent_requests_per_caller,
            free: settings.free_a_second,
            reply_bytes: settings.reply_bytes_per_caller,
            all_reply_bytes: settings.reply_bytes,
            guest_pages: settings.guest_pages,
        }),
        pages: settings.pages.clone().unwrap_or_else(|| explorer_pages(service.catalogue())),
        service,
        settings,
        request_ids: RequestIds::new(),
        paths,
        openapi: ServedDocument::new("openapi".to_owned(), "application/json", Box::new(openapi)),
        docs: ServedDocument::new("docs".to_owned(), HTML, Box::new(docs::bytes)),
    });
    let except_status = operations.iter().filter(|operation| operation.name != STATUS);
    let operation_routes: OperationRoutes = except_status
        .map(|operation| {
            let answering = OperationRoute::new(Arc::clone(&state), Arc::clone(operation));
            (route(operation), Arc::new(answering))
        })
        .collect();
    let router = with_path(documents(&state), paths::STATUS, &get(|| std::future::ready(health())));
    let router = operation_routes
        .iter()
        .fold(router, |router, (path, operation)| with_path(router, path, &get_operation(operation)));
    let all = state.service.catalogue().operations().iter();
    let router = all.fold(router, |router, operation| add_operation_pages(router, &state, operation));
    let router = guides().fold(router, |router, guide| add_guide_pages(router, &state, guide));
    let router = docs::assets().chain(explorer_assets()).fold(router, asset);
    let router = explorer::routes(add_exported_file_routes(router, &state), &state);
    let mounted =
        state.mounts.iter().flat_map(|mount| mount.paths().iter().map(|path| (*path, mount.methods())));
    let router = mounted.fold(router, |router, (path, methods)| with_path(router, path, &methods));
    let router = portal_pages(router, &state);
    with_middleware(operation_routes, router, state)
}

/// Reads the pages of the explorer; mistakes are reported at startup, and the explorer is empty then.
fn explorer_pages(catalogue: &Catalogue) -> Arc<ArcSwap<ExplorerPages>> {
    Arc::new(ArcSwap::from_pointee(ExplorerPages::from_catalogue(catalogue).unwrap_or_default()))
}

/// Returns the paths that need no key: public operations, and the documentation of operations.
fn open_paths(catalogue: &Catalogue) -> HashSet<String> {
    let operations = catalogue.operations().iter();
    let public = operations.clone().filter(|operation| operation.access == Access::Public);
    let public = public.map(|operation| route(operation));
    let manual_pages =
        operations.map(|operation| docs::page_path(operation)).chain(guides().map(docs::guide_path));
    let manual_pages = manual_pages.flat_map(|page| [format!("{page}.md"), page]);
    let assets = docs::assets().chain(explorer_assets()).chain([portal_asset()]);
    let assets = assets.map(|asset| asset.path.clone());
    public.chain(manual_pages).chain(assets).chain(["", ROOT, OPENAPI, DOCS].map(str::to_owned)).collect()
}

/// Wraps the routes in the middleware, which also sees unknown paths. It is one function around them, because layers of a router would be
/// cloned for every request, and box their futures.
fn with_middleware(operations: OperationRoutes, router: Router, state: Arc<AppState>) -> Routes {
    let fallback_state = Arc::clone(&state);
    let router = router
        .fallback(move |request: Request| unknown::route(Arc::clone(&fallback_state), request))
        .method_not_allowed_fallback(|request: Request| std::future::ready(unknown::method(&request)));
    let table = Arc::new(RouteTable::new(operations, router));
    Routes::new(move |request| middleware(Arc::clone(&state), request, Arc::clone(&table)).boxed())
}

fn route(operation: &Operation) -> String {
    format!("{ROOT}/{}", operation.name)
}

fn get_operation(operation: &Arc<OperationRoute>) -> MethodRouter {
    let operation = Arc::clone(operation);
    get(move |request: Request| {
        let operation = Arc::clone(&operation);
        async move { operation.answer(request).await }
    })
}

fn documents(state: &Arc<AppState>) -> Router {
    let (openapi, docs) = (Arc::clone(state), Arc::clone(state));
    let to_docs = get(|| std::future::ready(Redirect::temporary(DOCS).into_response()));
    let to_explorer = get(|| std::future::ready(Redirect::temporary(FIRST_PAGE).into_response()));
    let openapi = get(move |request: Request| {
        std::future::ready(openapi.openapi.reply(&openapi.service, request.headers()))
    });
    let docs =
        get(move |request: Request| std::future::ready(docs.docs.reply(&docs.service, request.headers())));
    let router = with_path(Router::new().route("/", to_explorer), ROOT, &to_docs);
    with_path(with_path(router, OPENAPI, &openapi), DOCS, &docs)
}

/// Adds the route of exported files.
fn add_exported_file_routes(router: Router, state: &Arc<AppState>) -> Router {
    let state = Arc::clone(state);
    let answer =
        move |Path(token): Path<String>| std::future::ready(exported_file::file(&state.service, &token));
    router.route(&format!("{FILES}{{token}}"), get(answer))
}

/// Adds the portal, where keys are managed, and the assets of its pages.
fn portal_pages(router: Router, state: &Arc<AppState>) -> Router {
    let Some(administration) = &state.settings.administration else { return router };
    let (service, data) = (Arc::clone(&state.service), state.settings.data.clone());
    let portal = Portal::new(
        Arc::clone(administration),
        state.settings.cookie,
        service,
        data,
        Arc::clone(&state.pages),
    );
    let mut added = portal::routes(&portal);
    if let Some(apps) = &state.settings.apps {
        added.extend(oauth::routes(&OAuth::new(portal, apps.clone())));
    }
    let router = added.iter().fold(router, |router, (path, methods)| with_path(router, path, methods));
    asset(router, portal_asset())
}

/// Returns the health payload: static, without a key and so without an envelope. The program's version is in a header.
fn health() -> axum::response::Response {
    let mut response = reply::fresh_json(StatusCode::OK, axum::body::Bytes::from_static(HEALTH.as_bytes()));
    response.headers_mut().insert(BUILD, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    response
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::panics::reply_or_500;
    use super::*;
    use axum::body::to_bytes;
    use axum::http::{Method, header};
    use axum::response::Response;
    use serde_json::{Value, json};

    async fn ask(method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(axum::body::Body::empty()).unwrap();
        let settings = HttpSettings { clock: Arc::new(|| 1_700_000_000), ..HttpSettings::default() };
        router(fixture::service().await, settings).answer(request).await
    }

    async fn text(response: Response) -> String {
        String::from_utf8(to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()).unwrap()
    }

    async fn refusal(response: Response) -> (u16, String) {
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        let status = response.status().as_u16();
        let body: Value = serde_json::from_str(&text(response).await).unwrap();
        assert_eq!(body["error"], json!(true));
        assert_eq!(body["status"], json!(status));
        assert_eq!(body.as_object().unwrap().len(), 3);
        (status, body["message"].as_str().unwrap().to_owned())
    }

    #[tokio::test]
    async fn status_is_the_plain_health_payload() {
        for path in ["/v1/status", "/v1/status/"] {
            let response = ask(Method::GET, path, &[]).await;
            assert_eq!(response.status(), 200);
            assert_eq!(response.headers()["x-build"], env!("CARGO_PKG_VERSION"));
            let body: Value = serde_json::from_str(&text(response).await).unwrap();
            let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["status", "version", "service", "docs"]);
        }
    }

    #[tokio::test]
    async fn an_answer_is_enveloped_and_revalidates() {
        let path = "/v1/company/profile?symbol=m%26m&apiKey=pq_0";
        let response = ask(Method::GET, path, &[]).await;
        assert_eq!(response.headers()[header::CACHE_CONTROL], "private, no-cache");
        assert_eq!(response.headers()["x-snapshot"], "declared");
        assert_eq!(response.headers()["x-ratelimit-limit-daily"], "5000");
        let tag = response.headers()[header::ETAG].to_str().unwrap().to_owned();
        assert!(tag.starts_with("W/\""), "{tag}");
        assert_eq!(
            text(response).await,
            r#"{"data":{"symbol":"M&M","pe":12.5},"meta":{"tier":"api_max","requests_remaining_today":5000,"requests_remaining_hour":1000,"timestamp":1700000000}}"#
        );
        let again = ask(Method::GET, path, &[("if-none-match", &format!("\"x\", {tag}"))]).await;
        assert_eq!(again.status(), 304);
        assert_eq!(again.headers()[header::ETAG], tag.as_str());
        assert_eq!(again.headers()["x-ratelimit-remaining-hourly"], "1000");
        assert_eq!(text(again).await, "");
    }

    #[tokio::test]
    async fn a_repeated_parameter_is_refused_by_name() {
        let response = ask(Method::GET, "/v1/company/profile?symbol=A&symbol=B", &[]).await;
        let (status, message) = refusal(response).await;
        assert_eq!((status, message.contains("`symbol`")), (400, true));
    }

    #[tokio::test]
    async fn head_is_get_without_its_body() {
        let get = ask(Method::GET, "/v1/status", &[]).await;
        let head = ask(Method::HEAD, "/v1/status", &[]).await;
        assert_eq!(head.status(), 200);
        assert_eq!(head.headers()[header::CONTENT_LENGTH], get.headers()[header::CONTENT_LENGTH]);
        assert_eq!(text(head).await, "");
    }

    #[tokio::test]
    async fn other_methods_are_405_with_allow() {
        for method in [Method::POST, Method::DELETE, Method::OPTIONS] {
            let response = ask(method, "/v1/company/profile", &[]).await;
            assert_eq!(response.headers()[header::ALLOW], "GET, HEAD");
            assert_eq!(refusal(response).await.0, 405);
        }
    }

    #[tokio::test]
    async fn an_unknown_route_names_the_nearest() {
        for (path, near) in [
            ("/v1/company/profil", "/v1/company/profile"),
            ("/company/profile", "/v1/company/profile"),
            ("/v1/market/RS-changes/", "/v1/market/rs-changes"),
            ("/v1/openapi.yaml", "/v1/openapi.json"),
        ] {
            let (status, message) = refusal(ask(Method::GET, path, &[]).await).await;
            assert_eq!(status, 404);
            assert!(message.contains(&format!("did you mean `{near}`")), "{path}: {message}");
        }
        let (_, message) = refusal(ask(Method::GET, "/zzzzzz", &[]).await).await;
        assert!(message.contains("/v1/docs") && !message.contains("did you mean"), "{message}");
        // A tool without a route has no path.
        assert_eq!(ask(Method::GET, "/v1/screen-words", &[]).await.status(), 404);
    }

    #[tokio::test]
    async fn an_overlong_url_is_414() {
        let path = format!("/v1/company/profile?symbol={}", "A".repeat(9_000));
        assert_eq!(refusal(ask(Method::GET, &path, &[]).await).await.0, 414);
    }

    #[tokio::test]
    async fn a_query_that_is_no_text_is_400_with_the_allowance() {
        let response = ask(Method::GET, "/v1/company/profile?symbol=%ff", &[]).await;
        for name in ["daily", "hourly"] {
            assert!(response.headers().contains_key(format!("x-ratelimit-limit-{name}")));
            assert!(response.headers().contains_key(format!("x-ratelimit-remaining-{name}")));
        }
        let (status, message) = refusal(response).await;
        assert_eq!(status, 400);
        assert!(message.contains("`symbol`"), "{message}");
    }

    #[tokio::test]
    async fn the_request_id_is_kept_or_made() {
        let reply = ask(Method::GET, "/v1/status", &[("x-request-id", "abc-1")]).await;
        assert_eq!(reply.headers()["x-request-id"], "abc-1");
        let made = ask(Method::GET, "/nothing", &[("x-request-id", "with space")]).await;
        assert_ne!(made.headers()["x-request-id"], "with space");
    }

    #[tokio::test]
    async fn the_root_leads_to_the_explorer_and_the_version_to_the_docs() {
        for (path, target) in [("/", "/india"), ("/v1", DOCS), ("/v1/", DOCS)] {
            let response = ask(Method::GET, path, &[]).await;
            assert_eq!(response.status(), 307);
            assert_eq!(response.headers()[header::LOCATION], target);
        }
    }

    #[tokio::test]
    async fn documents_revalidate_and_compress() {
        for path in [OPENAPI, DOCS] {
            let plain = ask(Method::GET, path, &[]).await;
            assert_eq!(plain.status(), 200);
            let tag = plain.headers()[header::ETAG].to_str().unwrap().to_owned();
            let packed = ask(Method::GET, path, &[("accept-encoding", "gzip")]).await;
            assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
            assert_eq!(packed.headers()[header::ETAG], tag.as_str());
            let again = ask(Method::GET, path, &[("if-none-match", &tag), ("accept-encoding", "gzip")]).await;
            assert_eq!(again.status(), 304);
            assert_eq!(again.headers()[header::VARY], "accept-encoding");
            assert_eq!(text(again).await, "");
        }
    }

    #[tokio::test]
    async fn an_encoding_that_cannot_be_served_is_a_json_406() {
        let response = ask(Method::GET, DOCS, &[("accept-encoding", "identity;q=0")]).await;
        assert_eq!(refusal(response).await.0, 406);
    }

    #[tokio::test]
    async fn a_panic_is_a_json_500_with_an_id() {
        let response = reply_or_500(async { panic!("kept for the log") }).await;
        let (status, message) = refusal(response).await;
        assert_eq!(status, 500);
        assert!(!message.contains("kept for the log"));
    }
}
