//! Operations that add, list and remove the drawings of an owner on the chart of a stock.

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::drawing::{DrawnPoint, SavedDrawing, ShareFactors};
use super::handler::{Handler, HandlerCall};
use super::lists::row_of_stock;
use super::watchlists::{SavedItemStore, key_of_name};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_state::{SavedItemKey, SavedItemKind};

/// Maximum number of drawings on the chart of a stock.
const MOST_DRAWINGS: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawingVerb {
    List,
    Add,
    Remove,
}

/// The operations, each by its name after `run:`.
pub(super) const DRAWING_OPERATIONS: [(&str, DrawingVerb); 3] = [
    ("drawings", DrawingVerb::List),
    ("drawing_add", DrawingVerb::Add),
    ("drawing_remove", DrawingVerb::Remove),
];

pub(super) struct DrawingOperation {
    pub items: SavedItemStore,
    pub verb: DrawingVerb,
}

impl DrawingOperation {
    async fn list(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let rows = call.rows(call.arguments).await?;
        let factors = ShareFactors::read(&rows);
        let close = rows.numbers("close").into_iter().flatten().next();
        let stored = row_of_stock(&self.items, call, SavedItemKind::Drawings).await?;
        let drawings = stored.map(|row| SavedDrawing::parse_all(&row.content)).unwrap_or_default();
        let drawings: Vec<Json> =
            drawings.iter().map(|drawing| drawing_json(drawing, factors.on(drawing.basis), close)).collect();
        Ok(json!({
            "symbol": symbol_of(call),
            "market": call.market.word(),
            "as_of": call.snapshot.as_of(call.market).map(|day| day.to_string()),
            "count": drawings.len(),
            "drawings": drawings,
        }))
    }

    async fn add(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let drawing = parse_drawing(call)?;
        let add = move |before: Option<&str>| {
            let mut drawings = before.map(SavedDrawing::parse_all).unwrap_or_default();
            if drawings.len() >= MOST_DRAWINGS {
                let message = format!(
                    "this stock has {MOST_DRAWINGS} drawings, which is the most; remove one, then draw another"
                );
                return Err(ClientError::new(ErrorKind::BadRequest, message));
            }
            let number = before.map(SavedDrawing::last_number).unwrap_or_default() + 1;
            drawings.push(SavedDrawing { number, ..drawing });
            Ok(SavedDrawing::content(&drawings, number))
        };
        let row = self.items.change_item(self.key(call).await?, add).await?;
        let drawings = SavedDrawing::parse_all(&row.content);
        Ok(change_json(call, drawings.last().map(|drawing| drawing.number), drawings.len()))
    }

    async fn remove(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let number = call.int("number");
        let remove = move |before: Option<&str>| {
            let mut drawings = before.map(SavedDrawing::parse_all).unwrap_or_default();
            let position = drawings.iter().position(|drawing| Some(drawing.number) == number);
            let Some(position) = position else {
                let known: Vec<String> = drawings.iter().map(|drawing| drawing.number.to_string()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let message = format!("`number`: this stock has no such drawing; there are {known}");
                return Err(ClientError::new(ErrorKind::NotFound, message));
            };
            drawings.remove(position);
            Ok(SavedDrawing::content(&drawings, before.map(SavedDrawing::last_number).unwrap_or_default()))
        };
        let row = self.items.change_item(self.key(call).await?, remove).await?;
        Ok(change_json(call, number, SavedDrawing::parse_all(&row.content).len()))
    }

    /// Returns the key under which the drawings of the stock are stored.
    async fn key(&self, call: &HandlerCall<'_>) -> Result<SavedItemKey, ClientError> {
        let stored = row_of_stock(&self.items, call, SavedItemKind::Drawings).await?;
        let name = stored.map_or_else(|| symbol_of(call).to_owned(), |row| row.name);
        Ok(key_of_name(call, SavedItemKind::Drawings, name))
    }
}

#[async_trait]
impl Handler for DrawingOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let answer = match self.verb {
            DrawingVerb::List => self.list(call).await,
            DrawingVerb::Add => self.add(call).await,
            DrawingVerb::Remove => self.remove(call).await,
        };
        Ok(call.ordered(answer?))
    }

    fn waits_for_io(&self) -> bool {
        true
    }
}

fn symbol_of<'a>(call: &'a HandlerCall<'_>) -> &'a str {
    call.text("symbol").unwrap_or_default()
}

/// Returns the drawing that a call describes, with 0 as its number.
fn parse_drawing(call: &HandlerCall<'_>) -> Result<SavedDrawing, ClientError> {
    let no_data = || {
        let message = format!("this server has no prices of {} yet; add the drawing later", call.market);
        ClientError::new(ErrorKind::NoData, message)
    };
    let basis = call.date("basis").or_else(|| call.snapshot.as_of(call.market)).ok_or_else(no_data)?;
    let first = DrawnPoint {
        day: call.date("day").unwrap_or(basis),
        price: call.number("price").unwrap_or_default(),
    };
    let second = match (call.date("day_2"), call.number("price_2")) {
        (None, None) => None,
        (Some(day), Some(price)) if day > first.day => Some(DrawnPoint { day, price }),
        _ => {
            let message = "`day_2` and `price_2` are the later point of a trend line: give both, with a day after `day`, or neither for a level";
            return Err(ClientError::new(ErrorKind::BadRequest, message));
        }
    };
    Ok(SavedDrawing { number: 0, basis, first, second })
}

/// Converts a drawing to JSON. Its prices are multiplied by a factor, and a level has its distance from the last close in percent.
fn drawing_json(drawing: &SavedDrawing, factor: f64, close: Option<f64>) -> Json {
    let rounded = |figure: f64, scale: f64| (figure * scale).round() / scale;
    let price = |point: DrawnPoint| rounded(point.price * factor, 1e4);
    let level = drawing.first.price * factor;
    let from_close = close.filter(|_| drawing.second.is_none()).map(|close| 100.0 * (level / close - 1.0));
    json!({
        "number": drawing.number,
        "kind": if drawing.second.is_some() { "trend" } else { "level" },
        "day": drawing.first.day.to_string(),
        "price": price(drawing.first),
        "day_2": drawing.second.map(|point| point.day.to_string()),
        "price_2": drawing.second.map(price),
        "pct_from_close": from_close.map(|pct| rounded(pct, 1e2)),
        "drawn_on": drawing.basis.to_string(),
    })
}

/// Returns the answer to a change: the number of the changed drawing, and the count of drawings after the change.
fn change_json(call: &HandlerCall<'_>, number: Option<i64>, count: usize) -> Json {
    json!({"symbol": symbol_of(call), "market": call.market.word(), "number": number, "count": count})
}
