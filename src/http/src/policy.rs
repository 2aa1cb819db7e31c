//! The content security policy of all pages, the manual included: they may load the style, the scripts and the pictures of this server and
//! send forms and requests to it, and nothing else. Inline script and style are blocked, as is framing by other sites. Answers have their
//! content type, which browsers do not override.

pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                                 form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'";
