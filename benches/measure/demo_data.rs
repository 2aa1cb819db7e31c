//! A small demo market for benches that measure the door rather than the engine.

use std::path::Path;
use std::sync::Arc;

use parquote::demo::{DemoOptions, Size};
use parquote::derive::raw::Silent;
use parquote::derive::{DeriveOptions, derive};
use parquote::operation::{Catalogue, Market};

/// Makes the tables under a folder and says where they lie.
pub(crate) async fn make(catalogue: &Arc<Catalogue>, folder: &Path) -> anyhow::Result<String> {
    let size = Some(Size { companies: 60, sessions: 120 });
    let (raw, data) = (folder.join("raw"), folder.join("data"));
    let options = DemoOptions { india: size, us: size, ..DemoOptions::small() };
    parquote::demo::write(&raw, &options, &mut |_, _, _| {})?;
    for market in Market::ALL {
        let options = DeriveOptions {
            raw: raw.clone(),
            data: data.clone(),
            as_of: None,
            lists_as_of: None,
            anew: false,
            remember: false,
            allow: parquote::derive::Allowed::default(),
        };
        derive(catalogue, market, &options, &Silent).await?;
    }
    Ok(data.to_string_lossy().into_owned())
}
