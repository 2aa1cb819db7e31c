//! Hashes the code that parses rows: the hash is the version of the parse cache.

fn main() -> std::io::Result<()> {
    parquote_embed::set_figures(&["catalogue", "functions", "encodings", "raw"])
}
