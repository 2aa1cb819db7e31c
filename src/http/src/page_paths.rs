//! The paths of pages for signed-in people: those below a few first segments. Only these pages read the session cookie, and they ignore a
//! key in the address.

use parquote_catalogue::operation::Market;

/// Path of the sign-in page.
pub(super) const LOGIN: &str = "/login";
/// Path that signs out.
pub(super) const LOGOUT: &str = "/logout";
/// First page of the explorer.
pub(super) const FIRST_PAGE: &str = "/india";
/// Path that stores the chosen colours.
pub(super) const COLOURS: &str = "/colours";
/// Path of the portal, where keys are managed.
pub(super) const PORTAL: &str = "/portal";

/// First segments of page paths, in addition to the words of markets, below which the explorer is.
const ROOTS: [&str; 5] = ["login", "logout", "colours", "portal", "authorize"];

/// Longest path and query to return to after a sign-in, in bytes.
const LONGEST_RETURN_PATH: usize = 4_096;

pub(super) fn is_page(path: &str) -> bool {
    let first = path.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default());
    first.is_some_and(|first| {
        ROOTS.contains(&first) || Market::ALL.iter().any(|market| market.word() == first)
    })
}

/// Returns true if a page needs no sign-in.
pub(super) fn is_open_page(path: &str) -> bool {
    [LOGIN, COLOURS].contains(&path.trim_end_matches('/'))
}

/// Returns the path and query to return to after a sign-in. `None` unless they lead to a page of this server: no other host, no other
/// scheme, and not a page that signs in or out.
pub(super) fn return_path(next: &str) -> Option<&str> {
    let is_plain = next.len() <= LONGEST_RETURN_PATH
        && next
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>' | b'#'));
    let path = next.split('?').next().unwrap_or_default();
    let is_ours = !path.contains("//") && !path.contains("/.") && is_page(path);
    let stays = ![LOGIN, LOGOUT, COLOURS].contains(&path.trim_end_matches('/'));
    (is_plain && is_ours && stays).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_by_their_first_segment() {
        for path in [
            "/login", "/login/", "/colours", "/portal", "/portal/keys/issue", "/logout", "/india",
            "/us/company/M%26M",
        ] {
            assert!(is_page(path), "{path}");
        }
        for path in [
            "/", "", "/indian", "/v1/us/screener", "/v1/portal", "/mcp", "/portals", "portal", "//portal",
            "/v1/login", "/Portal",
        ] {
            assert!(!is_page(path), "{path}");
        }
        assert!(
            is_open_page("/login/")
                && is_open_page("/colours")
                && !is_open_page("/portal")
                && !is_open_page("/login/x")
        );
    }

    #[test]
    fn a_way_back_leads_to_a_page_of_ours_alone() {
        for next in ["/portal", "/portal/usage?days=30&x=%2F%2F", "/portal/", "/india/screener?min_roe=15"] {
            assert_eq!(return_path(next), Some(next));
        }
        for next in [
            "",
            "https://evil.example/portal",
            "//evil.example/portal",
            "/\\evil.example",
            "/portal\\..\\x",
            "/portal//evil.example",
            "/portal/../v1/status",
            "/portal/./x",
            "/%2Fevil.example",
            "\t//evil.example",
            "/portal\r\nSet-Cookie: a=b",
            "/portal é",
            "/portal#x",
            "/portal?\"><script>",
            "javascript:alert(1)",
            "/login?next=/portal",
            "/logout",
            "/colours",
            "/v1/status",
            "/mcp",
        ] {
            assert_eq!(return_path(next), None, "{next}");
        }
        assert_eq!(return_path(&format!("/portal?{}", "a".repeat(LONGEST_RETURN_PATH))), None);
    }
}
