//! `parquote demo` in a build without the feature.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use crate::config::DataRoot;
use parquote_catalogue::features::missing_feature;

/// Accepts any arguments of `demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _any: Vec<OsString>,
}

/// Returns false: no start makes the demo market.
pub(super) const fn is_missing(_: &DataRoot) -> bool {
    false
}

/// Does nothing. A start without data then fails with an error that names the commands that make data.
#[expect(clippy::unused_async, clippy::unnecessary_wraps, reason = "as with the feature")]
pub(super) async fn make_missing(_: Option<&Path>, _: &DataRoot) -> anyhow::Result<()> {
    Ok(())
}

#[expect(clippy::unused_async, reason = "as the command is run")]
pub(super) async fn run(_: Option<&Path>, _: &DemoArgs) -> anyhow::Result<()> {
    anyhow::bail!("{}", missing_feature("`parquote demo`", "demo"))
}
