//! A piece of a price file as bytes: its bars in columns, the symbols met in it, its refused rows as they were packed.
//!
//! The rank of the file is not among them: it is the order of the files that are there now.

use chrono::{Datelike, NaiveDate};
use xxhash_rust::xxh3::xxh3_128;

use super::Origin;
use super::index::Place;
use super::packed::{Packer, Unpacker};
use crate::derive::raw::bar::{Bar, Series};
use crate::derive::raw::ledger::ReadPiece;
use crate::derive::raw::prices::{Met, PricePiece};
use crate::derive::raw::refused::RefusedRows;

const SERIES: [Series; 4] = [Series::Eq, Series::Be, Series::Bz, Series::None];

/// A piece of any file as bytes. What the index has of it ([`Place`]) is not among them.
#[derive(Debug)]
pub(crate) struct PieceBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) hash: String,
}

/// What tells a piece from one that is damaged.
pub(super) fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

impl PieceBytes {
    /// The bytes of a piece of a price file and the symbols met in it.
    pub(crate) fn of(piece: &ReadPiece<(u32, Bar)>, met: &[Met]) -> Self {
        Self::new(to_bytes(piece, met))
    }

    /// A piece by its bytes.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self { hash: hash(&bytes), bytes }
    }
}

fn to_bytes(piece: &ReadPiece<(u32, Bar)>, met: &[Met]) -> Vec<u8> {
    /// What a bar takes, mostly.
    const BAR: usize = 32;
    let room = piece.rows.len() * BAR + met.len() * 4 + piece.refused.member().len();
    let mut packer = Packer { bytes: Vec::with_capacity(room) };
    let rows = piece.rows.iter();
    packer.number(piece.rows.len() as u64);
    packer.column(rows.clone().map(|(number, _)| i64::from(*number)));
    let bars = rows.map(|(_, bar)| bar);
    packer.column(bars.clone().map(|bar| i64::from(bar.date.num_days_from_ce())));
    packer.column(bars.clone().map(|bar| i64::from(bar.line)));
    packer.column(bars.clone().map(|bar| bar.series as i64));
    for price in 0..4 {
        packer.prices(bars.clone().filter_map(move |bar| bar.prices.get(price).copied()));
    }
    packer.column(bars.clone().map(|bar| bar.volume));
    packer.column(bars.map(|bar| bar.delivered));
    packer.number(met.len() as u64);
    packer.column(met.iter().map(|met| i64::from(met.number)));
    let isins = met.iter().filter_map(|met| Some((met.number, met.isin?)));
    packer.number(isins.clone().count() as u64);
    packer.column(met.iter().map(|met| met.isin.map_or(0, |(date, _)| i64::from(date.num_days_from_ce()))));
    isins.for_each(|(_, (_, isin))| packer.bytes.extend_from_slice(&isin));
    packer.bytes.extend_from_slice(piece.refused.member());
    packer.bytes
}

/// The piece at a place; `file` is the rank of its file. None where the bytes are no piece.
pub(super) fn of_bytes(bytes: &[u8], place: &Place, file: u32) -> Option<PricePiece> {
    let mut unpacker = Unpacker { bytes };
    let rows = bars(&mut unpacker, file)?;
    let met = met(&mut unpacker)?;
    let refused = RefusedRows::packed(place.refused.clone(), unpacker.bytes.to_vec());
    let piece = ReadPiece { rows, refused, read: place.read, notes: Vec::new(), ending: place.ending() };
    Some(PricePiece { piece, met, origin: Origin::Remembered(place.clone()) })
}

fn bars(unpacker: &mut Unpacker<'_>, file: u32) -> Option<Vec<(u32, Bar)>> {
    let none = Bar {
        date: NaiveDate::MIN,
        file,
        line: 0,
        series: Series::None,
        prices: [0.0; 4],
        volume: 0,
        delivered: 0,
    };
    let mut rows = vec![(0_u32, none); usize::try_from(unpacker.number()?).ok()?];
    unpacker.column(&mut rows, |(number, _), value| *number = value as u32)?;
    // Most pieces are of one day.
    let (mut day, mut date) = (0, None);
    unpacker.column(&mut rows, |(_, bar), value| {
        if value != day {
            (day, date) = (value, NaiveDate::from_num_days_from_ce_opt(value as i32));
        }
        bar.date = date.unwrap_or_default();
    })?;
    unpacker.column(&mut rows, |(_, bar), value| bar.line = value as u32)?;
    let series = |value: i64| SERIES.get(value as usize).copied().unwrap_or(Series::None);
    unpacker.column(&mut rows, |(_, bar), value| bar.series = series(value))?;
    for price in 0..4 {
        let set = |(_, bar): &mut (u32, Bar), value| {
            bar.prices.get_mut(price).into_iter().for_each(|at| *at = value);
        };
        unpacker.prices(&mut rows, set)?;
    }
    unpacker.column(&mut rows, |(_, bar), value| bar.volume = value)?;
    unpacker.column(&mut rows, |(_, bar), value| bar.delivered = value)?;
    Some(rows)
}

fn met(unpacker: &mut Unpacker<'_>) -> Option<Vec<Met>> {
    let mut met = vec![Met { number: 0, isin: None }; usize::try_from(unpacker.number()?).ok()?];
    unpacker.column(&mut met, |met, value| met.number = value as u32)?;
    let isins = unpacker.number()?;
    let with_isin = |met: &mut Met, value: i64| {
        let date = NaiveDate::from_num_days_from_ce_opt(value as i32).filter(|_| value != 0);
        met.isin = date.map(|date| (date, [0; 12]));
    };
    unpacker.column(&mut met, with_isin)?;
    for (_, isin) in met.iter_mut().filter_map(|met| met.isin.as_mut()).take(isins as usize) {
        *isin = unpacker.take(12)?.try_into().ok()?;
    }
    Some(met)
}
