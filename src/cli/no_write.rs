//! `parquote write` in a build without the feature.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use crate::operation::{Catalogue, Market};
use parquote_catalogue::features::missing_feature;

/// Accepts any arguments of `write`.
#[derive(Debug, Args)]
pub(super) struct WriteArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _any: Vec<OsString>,
}

impl WriteArgs {
    pub(super) fn for_refresh(_: &Catalogue, _: &str, _: &Path, _: &Path) -> anyhow::Result<(Market, Self)> {
        anyhow::bail!("{}", missing_feature("`parquote refresh --write`", "agents"))
    }
}

#[expect(clippy::unused_async, reason = "as the command is run")]
pub(super) async fn run_with(_: &Catalogue, _: &WriteArgs) -> anyhow::Result<()> {
    anyhow::bail!("{}", missing_feature("`parquote refresh --write`", "agents"))
}

#[expect(clippy::unused_async, reason = "as the command is run")]
pub(super) async fn run(_: Option<&Path>, _: &WriteArgs) -> anyhow::Result<()> {
    anyhow::bail!("{}", missing_feature("`parquote write`", "agents"))
}
