//! The parts of a market. This module knows nothing of files.

pub(crate) mod reason;
pub(crate) mod note;
pub(crate) mod provenance;
pub(crate) mod session;
pub(crate) mod missing_sessions;
pub(crate) mod bar;
pub(crate) mod bad_tick;
pub(crate) mod jump;
pub(crate) mod action;
pub(crate) mod event_kind;
pub(crate) mod former_name;
pub(crate) mod side;
pub(crate) mod sector_source;
pub(crate) mod company;
pub(crate) mod member;
pub(crate) mod share_count;
