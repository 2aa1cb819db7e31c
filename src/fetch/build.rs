//! Embeds every file under `sources/`.

fn main() -> std::io::Result<()> {
    parquote_embed::embed("sources", &["toml"], "SOURCES", "sources.rs")
}
