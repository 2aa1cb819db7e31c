//! Embeds a hash over the code that computes rows: an earlier derivation's tables are reused only if the same code made them.

fn main() -> std::io::Result<()> {
    parquote_embed::set_figures(&["catalogue", "functions", "encodings", "engine", "raw", "derive"])
}
