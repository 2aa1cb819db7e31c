//! `parquote write` in a build without the feature.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::agents::provider::Providers;
use crate::handlers::RowWriter;
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

/// Returns `None`: no run can ask a model.
pub(super) const fn row_writer(
    _: &Arc<Catalogue>,
    _: &Arc<Providers>,
    _: &Path,
) -> Option<Arc<dyn RowWriter>> {
    None
}

#[expect(clippy::unused_async, reason = "as the command is run")]
pub(super) async fn run_with(_: &Catalogue, _: &WriteArgs) -> anyhow::Result<()> {
    anyhow::bail!("{}", missing_feature("`parquote refresh --write`", "agents"))
}

#[expect(clippy::unused_async, reason = "as the command is run")]
pub(super) async fn run(_: Option<&Path>, _: &WriteArgs) -> anyhow::Result<()> {
    anyhow::bail!("{}", missing_feature("`parquote write`", "agents"))
}
