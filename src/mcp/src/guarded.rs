//! A handler whose panics become errors. The SDK runs each request in a separate task: without this, a panic would leave its caller waiting
//! forever.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

/// Handler with panics caught.
#[derive(Clone)]
pub(super) struct PanicGuard<S>(pub S);

/// Returns the result of a request, or an internal error after a panic.
async fn catch_panic<T>(
    method: &'static str,
    answer: impl Future<Output = Result<T, ErrorData>> + Send,
) -> Result<T, ErrorData> {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(method, "a request failed by a panic");
        Err(ErrorData::internal_error("the server failed on this request", None))
    })
}

/// Implements methods by delegation to the wrapped handler.
macro_rules! delegate {
    ($($name:ident, $method:literal: ($($request:ty)?) -> $result:ty;)*) => {$(
        delegate!(@one $name, $method, ($($request)?), $result);
    )*};
    (@one $name:ident, $method:literal, ($request:ty), $result:ty) => {
        async fn $name(&self, request: $request, context: RequestContext<RoleServer>) -> Result<$result, ErrorData> {
            catch_panic($method, self.0.$name(request, context)).await
        }
    };
    (@one $name:ident, $method:literal, (), $result:ty) => {
        async fn $name(&self, context: RequestContext<RoleServer>) -> Result<$result, ErrorData> {
            catch_panic($method, self.0.$name(context)).await
        }
    };
}

impl<S: ServerHandler> ServerHandler for PanicGuard<S> {
    delegate! {
        initialize, "initialize": (InitializeRequestParams) -> InitializeResult;
        discover, "server/discover": () -> DiscoverResult;
        list_tools, "tools/list": (Option<PaginatedRequestParams>) -> ListToolsResult;
        call_tool, "tools/call": (CallToolRequestParams) -> CallToolResponse;
        list_prompts, "prompts/list": (Option<PaginatedRequestParams>) -> ListPromptsResult;
        get_prompt, "prompts/get": (GetPromptRequestParams) -> GetPromptResponse;
        list_resources, "resources/list": (Option<PaginatedRequestParams>) -> ListResourcesResult;
        list_resource_templates, "resources/templates/list": (Option<PaginatedRequestParams>)
            -> ListResourceTemplatesResult;
        read_resource, "resources/read": (ReadResourceRequestParams) -> ReadResourceResponse;
        complete, "completion/complete": (CompleteRequestParams) -> CompleteResult;
        on_custom_request, "another": (CustomRequest) -> CustomResult;
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }
}

#[cfg(test)]
mod tests {
    use rmcp::ServiceExt as _;
    use rmcp::model::ServerCapabilities;
    use serde_json::Value as Json;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};

    use super::*;

    struct Panics;

    impl ServerHandler for Panics {
        fn get_info(&self) -> ServerConfig {
            ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        }

        async fn list_tools(
            &self,
            _: Option<PaginatedRequestParams>,
            _: RequestContext<RoleServer>,
        ) -> Result<ListToolsResult, ErrorData> {
            panic!("kept for the log")
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_internal_error_and_the_next_request_is_answered() {
        let (ours, theirs) = duplex(64 * 1024);
        let serving =
            tokio::spawn(
                async move { PanicGuard(Panics).serve(split(theirs)).await.unwrap().waiting().await },
            );
        let (reader, mut writer) = split(ours);
        let mut lines = BufReader::new(reader).lines();
        let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
        writer.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
        assert!(lines.next_line().await.unwrap().unwrap().contains("protocolVersion"));
        writer.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
        for id in [2, 3] {
            let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}\n");
            writer.write_all(request.as_bytes()).await.unwrap();
            let reply: Json = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            assert_eq!((reply["id"].as_i64(), reply["error"]["code"].as_i64()), (Some(id), Some(-32603)));
            assert!(!reply.to_string().contains("kept for the log"));
        }
        drop((lines, writer));
        serving.await.unwrap().unwrap();
    }
}
