//! A hash over the code that makes rows: tables of an earlier derivation are taken over where the same code made them.

fn main() -> std::io::Result<()> {
    parquote_embed::set_figures(&["catalogue", "functions", "encodings", "engine", "raw", "derive"])
}
