//! What a SELECT takes and answers, told without running it: clients of databases ask before they bind values.

use futures::future::BoxFuture;

use super::bound::places;
use super::refusal::SelectRefusal;
use super::run::shown;
use super::{OwnSelect, SelectLimits};
use crate::engine::arrow_types::column_type;
use crate::engine::deadline::Deadline;
use crate::engine::snapshot::Snapshot;
use crate::operation::ColumnType;

/// What a SELECT takes and answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectShape {
    /// The types of `$1`, `$2` and so on; none where the SELECT does not tell.
    pub values: Vec<Option<ColumnType>>,
    /// The columns of its rows.
    pub columns: Vec<(String, ColumnType)>,
}

impl Snapshot {
    /// Plans a SELECT of a caller and does not run it.
    ///
    /// # Errors
    /// As [`Snapshot::own_select`], but for what is wrong with values.
    pub fn own_select_shape<'a>(
        &'a self,
        asked: &'a OwnSelect<'a>,
        limits: &'a SelectLimits,
        deadline: Deadline,
    ) -> BoxFuture<'a, Result<SelectShape, SelectRefusal>> {
        Box::pin(async move {
            let deadline = deadline.within(limits.time);
            let unbound = self.unbound(asked, self.checked(asked)?);
            let planned = tokio::time::timeout_at(deadline.at(), unbound).await;
            let (_, plan) = planned.map_err(|_| deadline.overrun())??;
            let mut values = Vec::new();
            for (name, ty) in places(&plan)? {
                let place = name.strip_prefix('$').and_then(|place| place.parse::<usize>().ok());
                let Some(at) = place.and_then(|place| place.checked_sub(1)).filter(|at| *at < MOST_VALUES)
                else {
                    return Err(SelectRefusal::Placeholder { name: crate::operation::shown(&name) });
                };
                values.resize(values.len().max(at + 1), None);
                if let Some(value) = values.get_mut(at) {
                    *value = ty.as_ref().and_then(column_type);
                }
            }
            let plan = shown(plan)?;
            let fields = plan.schema().fields().iter();
            let columns = fields.map(|field| {
                (field.name().clone(), column_type(field.data_type()).unwrap_or(ColumnType::Text))
            });
            Ok(SelectShape { values, columns: columns.collect() })
        })
    }
}

/// The most values that are bound.
pub(crate) const MOST_VALUES: usize = 100;
