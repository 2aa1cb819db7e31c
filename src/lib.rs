//! Parquote: market intelligence for Indian (NSE/BSE) and US (NYSE/NASDAQ) equities in one binary.

pub mod error;
pub mod operation;
pub mod engine;
pub mod derive;
pub mod demo;
pub mod call;
pub mod surface;
pub mod config;
pub mod cli;
