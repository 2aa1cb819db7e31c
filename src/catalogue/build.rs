//! Embeds every file under `queries/`.

fn main() -> std::io::Result<()> {
    parquote_embed::embed("queries", &["sql", "toml"], "FILES", "queries.rs")
}
