//! Embeds the manual's committed pages and guides into the binary.

use std::io;

use parquote_embed::embed;

fn main() -> io::Result<()> {
    embed("docs/operations", &["md"], "PAGES", "pages.rs")?;
    embed("docs/guides", &["md"], "GUIDES", "guides.rs")
}
