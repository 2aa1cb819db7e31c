//! Metric labels of requests that reached no operation: the part of the server to which the path belongs. Their number is fixed, whatever
//! callers request.

parquote_catalogue::word_enum! {
    /// A part of the server.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Traffic {
        /// The health payload.
        Status = "status",
        /// Routes of operations, for requests refused before they reach one, such as without a key.
        Operations = "operations",
        /// The endpoint of tools, for requests that call no tool.
        Tools = "mcp",
        /// Pages on which owners sign in and manage keys.
        Portal = "portal",
        /// Consent, registration, tokens and OAuth metadata.
        OAuth = "oauth",
        /// Paths of the explorer without a registered page.
        Pages = "pages",
        /// The manual, the OpenAPI document, and the assets of pages.
        Documents = "documents",
        /// All other paths.
        Unknown = "unknown",
    }
    const ALL "All parts of the server.";
    fn word "Returns the label in place of an operation's name.";
}
