//! Adapters without rules: each door turns its protocol into a call and back.

pub mod http;
