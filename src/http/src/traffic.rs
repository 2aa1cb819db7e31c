//! Metric labels of requests that reached no operation: the part of the server to which the path belongs. Their number is fixed, whatever
//! callers request.

/// A part of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traffic {
    /// The health payload.
    Status,
    /// Routes of operations, for requests refused before they reach one, such as without a key.
    Operations,
    /// The endpoint of tools, for requests that call no tool.
    Tools,
    /// Pages on which owners sign in and manage keys.
    Portal,
    /// Consent, registration, tokens and OAuth metadata.
    OAuth,
    /// Paths of the explorer without a registered page.
    Pages,
    /// The manual, the OpenAPI document, and the assets of pages.
    Documents,
    /// All other paths.
    Unknown,
}

impl Traffic {
    pub(super) const ALL: [Self; 8] = [
        Self::Status,
        Self::Operations,
        Self::Tools,
        Self::Portal,
        Self::OAuth,
        Self::Pages,
        Self::Documents,
        Self::Unknown,
    ];

    /// Returns the label in place of an operation's name.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Operations => "operations",
            Self::Tools => "mcp",
            Self::Portal => "portal",
            Self::OAuth => "oauth",
            Self::Pages => "pages",
            Self::Documents => "documents",
            Self::Unknown => "unknown",
        }
    }
}
