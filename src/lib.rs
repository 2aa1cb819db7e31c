//! Parquote: market intelligence for Indian (NSE/BSE) and US (NYSE/NASDAQ) equities in one binary.

pub mod call;
pub mod demo;
pub mod derive;
pub mod engine;
pub mod error;
pub mod operation;
pub mod surface;
