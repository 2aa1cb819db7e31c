//! Splits and bonuses: when they occur, and their effect on price, shares and face value.
//!
//! Rights, dividends and demergers are not modelled. A factor multiplies earlier prices: 0.2 for a 1:5 split.

use super::company::{Board, InventedCompany};
use super::draw::Draw;
use super::tick::Minor;
use parquote_catalogue::operation::Market;

/// Kind of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SplitKind {
    /// `old:new`: one share becomes `new / old` shares.
    Split,
    /// `new:old`: `new` additional shares for each `old` shares.
    Bonus,
}

/// A split or bonus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShareSplit {
    /// Index of the session that is the ex-date.
    pub(crate) session: usize,
    pub(crate) kind: SplitKind,
    /// The two numbers of the ratio as written.
    pub(crate) ratio: (u32, u32),
    /// The face value in rupees after the action.
    pub(crate) face_value: u32,
}

impl ShareSplit {
    /// Returns the factor for earlier prices.
    pub(crate) fn factor(&self) -> f64 {
        let (first, second) = (f64::from(self.ratio.0), f64::from(self.ratio.1));
        match self.kind {
            SplitKind::Split => first / second,
            SplitKind::Bonus => second / (first + second),
        }
    }

    /// Returns the wording of the actions file, such as `split 1:5`.
    pub(crate) fn label(&self) -> String {
        let word = match self.kind {
            SplitKind::Split => "split",
            SplitKind::Bonus => "bonus",
        };
        format!("{word} {}:{}", self.ratio.0, self.ratio.1)
    }
}

/// Draws an action for a session; `None` in most sessions, and at prices that are unusual for a split or bonus.
pub(crate) fn draw(
    company: &InventedCompany,
    session: usize,
    close: Minor,
    face: u32,
    draw: &mut Draw,
) -> Option<ShareSplit> {
    let price = f64::from(close) / 100.0;
    let roll = draw.uniform() * 252.0;
    let (kind, ratio, face_value) = match company.market {
        _ if company.board == Board::Sme => return None,
        Market::India if roll < 0.06 && price > 400.0 && face > 1 => split_of_face(face, draw)?,
        Market::India if roll > 251.94 && price > 150.0 => (SplitKind::Bonus, pick_bonus(price, draw), face),
        Market::Us if roll < 0.08 && price > 60.0 => (SplitKind::Split, pick_split(price, draw), face),
        // A very low price leads to a reverse split, as exchanges require.
        Market::Us if price < 2.2 && roll < 2.0 => (SplitKind::Split, (10, 1), face),
        _ => return None,
    };
    Some(ShareSplit { session, kind, ratio, face_value })
}

/// Draws a split of the face value, which defines India's splits.
fn split_of_face(face: u32, draw: &mut Draw) -> Option<(SplitKind, (u32, u32), u32)> {
    let faces: &[u32] = match face {
        10 => &[5, 2, 2, 1],
        5 | 2 => &[1],
        _ => &[],
    };
    let after = draw.pick(faces).copied()?;
    Some((SplitKind::Split, (1, face / after), after))
}

fn pick_bonus(price: f64, draw: &mut Draw) -> (u32, u32) {
    let ratios: &[(u32, u32)] =
        if price > 1_000.0 { &[(1, 1), (2, 1), (3, 1), (4, 1)] } else { &[(1, 1), (1, 2), (1, 1), (2, 1)] };
    draw.pick(ratios).copied().unwrap_or((1, 1))
}

fn pick_split(price: f64, draw: &mut Draw) -> (u32, u32) {
    let ratios: &[(u32, u32)] =
        if price > 400.0 { &[(1, 4), (1, 5), (1, 10)] } else { &[(1, 2), (1, 3), (2, 3)] };
    draw.pick(ratios).copied().unwrap_or((1, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_the_exchange() {
        let factor = |kind, ratio| ShareSplit { session: 1, kind, ratio, face_value: 1 }.factor();
        assert!((factor(SplitKind::Split, (1, 5)) - 0.2).abs() < 1e-12);
        assert!((factor(SplitKind::Bonus, (1, 1)) - 0.5).abs() < 1e-12);
        assert!((factor(SplitKind::Bonus, (1, 2)) - 0.666_666_666_667).abs() < 1e-9);
        assert!((factor(SplitKind::Split, (10, 1)) - 10.0).abs() < 1e-12);
    }
}
