//! `parquote demo` in a build without the feature.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use parquote_catalogue::features::missing_feature;

/// Accepts any arguments of `demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _any: Vec<OsString>,
}

#[expect(clippy::unused_async, reason = "as the command is run")]
pub(super) async fn run(_: Option<&Path>, _: &DemoArgs) -> anyhow::Result<()> {
    anyhow::bail!("{}", missing_feature("`parquote demo`", "demo"))
}
