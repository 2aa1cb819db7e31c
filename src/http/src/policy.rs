//! What a page may do: load the style, the script and the pictures of this server, send forms to it and ask it, and nothing else.
//! What stands in the page itself is neither run nor styles anything, and no page of others shows it in a frame. One policy holds
//! for every page, the manual included. Answers are no scripts: each says its type, which browsers hold to.

/// The policy.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                                 form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'";
