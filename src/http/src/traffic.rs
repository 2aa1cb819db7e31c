//! What a request is counted under that reached no operation: the part of the server that its path belongs to. There are as many as
//! stand here, whatever callers ask for.

/// A part of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traffic {
    /// The health payload.
    Status,
    /// The routes of operations, where a request is refused before it reaches one, such as without a key.
    Operations,
    /// The endpoint of tools, where no tool is called.
    Tools,
    /// Pages on which owners sign in and manage keys.
    Portal,
    /// Consent, registration, tokens and what is said of them.
    OAuth,
    /// Pages of the explorer that are no page of its menu.
    Pages,
    /// The manual, the OpenAPI document, and the files of pages.
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

    /// What it is called where an operation has its name.
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
