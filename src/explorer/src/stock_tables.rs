//! Tables of stocks. The file of a page names the columns of one; the rest is the same for all of them and is added here: the number of
//! rows, a pager, a chooser of columns, files, ticks, and the choice between rows with a small line and small charts.

use serde::Deserialize;

use super::spec::{ChoiceSpec, PageSpec, PartSpec};
use super::view_spec::View;
use parquote_catalogue::operation::read_toml;

/// The name of the choice between rows and small charts.
pub(crate) const VIEW: &str = "view";

/// The word of that choice for small charts.
pub(crate) const CHARTS: &str = "charts";

/// Number of stocks on a page of small charts, as the value of `limit`.
pub(crate) const CHARTS_SHOWN: &str = "12";

/// Id of the part with the bars.
const BARS: &str = "bars";

/// The choices and the part that a table of stocks adds to its page.
const ADDED: &str = include_str!("stock_tables.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Additions {
    choice: Vec<ChoiceSpec>,
    part: Vec<PartSpec>,
}

/// Completes the tables of stocks of a page. A page that declares the part with the bars itself is left as it is.
///
/// # Errors
/// A line and a message, as [`read_toml`].
pub(crate) fn complete(page: &mut PageSpec) -> Result<(), (usize, String)> {
    if page.parts.iter().any(|part| part.id == BARS) {
        return Ok(());
    }
    let mut market = None;
    for part in &mut page.parts {
        for table in part.views.iter_mut().filter_map(View::stock_table_mut) {
            table.is_whole = true;
            BARS.clone_into(&mut table.bars);
            // Tables of different markets share a part of both.
            let only =
                part.market.as_ref().filter(|_| market.as_ref().is_none_or(|before| *before == part.market));
            market = Some(only.cloned());
        }
    }
    let Some(market) = market else { return Ok(()) };
    let added: Additions = read_toml(ADDED)?;
    page.choice.extend(added.choice);
    page.parts.extend(added.part.into_iter().map(|part| PartSpec { market: market.clone(), ..part }));
    Ok(())
}
