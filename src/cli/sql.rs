//! `parquote sql`: prints the SELECT of an operation as it runs for some arguments, to read it or to paste it into `parquote query`.

use std::path::Path;

use anyhow::bail;
use clap::Args;

use super::catalogue;
use super::named_operation::{operation, pairs};
use super::output::say;
use crate::engine::market_sql;
use crate::operation::{Arguments, Market, Tier, with_literals};

/// Arguments of `sql`.
#[derive(Debug, Args)]
pub(super) struct SqlArgs {
    /// The operation, such as company/profile.
    operation: String,
    /// Its arguments, such as symbol=RELIANCE.
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,
}

pub(super) fn run(queries: Option<&Path>, args: &SqlArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let operation = operation(&catalogue, &args.operation)?;
    let arguments = match Arguments::parse(operation, Tier::ApiMax, pairs(&args.arguments)?) {
        Ok(arguments) => arguments,
        Err(violations) => {
            let messages = violations.into_iter().map(|violation| violation.message);
            bail!("{}", messages.collect::<Vec<_>>().join("; "));
        }
    };
    let Some((_, select)) = operation.select(&arguments) else {
        bail!("`{}` has no SELECT: Rust code makes its answer", operation.name);
    };
    let market = operation.market_of(&arguments);
    if market != Market::India {
        say!("-- Over the tables of {market}: parquote query --market {market}");
    }
    if let Some(run) = &operation.run {
        say!("-- Rust code (`{run}`) makes the answer of these rows.");
    }
    if !select.omit.is_empty() {
        say!("-- Not in the answer: {}", select.omit.join(", "));
    }
    let sql = market_sql(&catalogue, market, &select.sql)?;
    say!("{}", with_literals(&sql, |name| arguments.get(operation, name)).trim_end());
    Ok(())
}
