//! Raw sources: exchange files as they are published, read into one market in memory.
