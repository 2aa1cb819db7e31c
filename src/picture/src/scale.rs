//! Scales: positions of numbers on the sheet, and the round numbers at which an axis is marked.
//!
//! All spans are finite and wider than 0: [`Span::from_numbers`] widens those that are not.

/// Lowest to highest number of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub low: f64,
    pub high: f64,
}

impl Span {
    /// Returns the span from the smallest to the largest number; `None` if there are none. A single number gets a span around it.
    pub(super) fn from_numbers(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let span = numbers.into_iter().fold(None, |span: Option<Self>, number| {
            Some(span.map_or(Self { low: number, high: number }, |span| span.including(number)))
        })?;
        let size = span.low.abs().max(span.high.abs());
        if span.high - span.low > size * 1e-9 {
            return Some(span);
        }
        let around = if size > 0.0 { size * 0.05 } else { 1.0 };
        Some(Self { low: span.low - around, high: span.high + around })
    }

    /// Widens the span to include the number.
    pub(super) fn including(self, number: f64) -> Self {
        Self { low: self.low.min(number), high: self.high.max(number) }
    }

    /// Widens both ends by a share of the span.
    pub(super) fn widen_by(self, share: f64) -> Self {
        let by = (self.high - self.low) * share;
        Self { low: self.low - by, high: self.high + by }
    }

    /// Returns at most `most` round numbers in the span, and their distance.
    pub(super) fn ticks(self, most: usize) -> (Vec<f64>, f64) {
        let most = most.max(1);
        let mut step = round_step((self.high - self.low) / most as f64);
        let counted =
            |step: f64| ((self.high / step).floor() - (self.low / step).ceil() + 1.0).max(0.0) as usize;
        while counted(step) > most {
            step = round_step(step * 1.5);
        }
        let first = (self.low / step).ceil();
        ((0..counted(step)).map(|at| (first + at as f64) * step + 0.0).collect(), step)
    }
}

/// Returns the ticks of a logarithmic axis: 1, 1.5, 2, 3, 5 and 7 times powers of ten, thinned to at most `most`; the linear ticks if the
/// span has fewer than three of them. Also returns the smallest distance between two ticks.
pub(super) fn log_ticks(span: Span, most: usize) -> (Vec<f64>, f64) {
    const TIMES: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0];
    if span.low <= 0.0 {
        return span.ticks(most);
    }
    let powers = span.low.log10().floor() as i32..=span.high.log10().ceil() as i32;
    let all: Vec<f64> = powers
        .flat_map(|power| TIMES.map(|times| times * 10f64.powi(power)))
        .filter(|tick| (span.low..=span.high).contains(tick))
        .collect();
    if all.len() < 3 {
        return span.ticks(most);
    }
    let every = all.len().div_ceil(most.max(1));
    let ticks: Vec<f64> = all.into_iter().step_by(every).collect();
    let apart = ticks.windows(2).map(|pair| pair.iter().rev().copied().reduce(|high, low| high - low));
    let apart = apart.flatten().fold(f64::INFINITY, f64::min);
    let step = if apart.is_finite() { apart } else { span.high - span.low };
    (ticks, step)
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= step * (1.0 - 1e-9));
    times.unwrap_or(10.0) * power
}

/// Mapping of a span to positions on the sheet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    span: Span,
    from: f64,
    to: f64,
    /// True if equal lengths are equal percentages.
    is_log: bool,
}

impl Scale {
    /// Maps `span.low` to `from`, `span.high` to `to`.
    pub(super) const fn new(span: Span, from: f64, to: f64) -> Self {
        Self { span, from, to, is_log: false }
    }

    /// Makes it logarithmic; a span that reaches 0 stays linear.
    pub(super) fn log(self) -> Self {
        Self { is_log: self.span.low > 0.0, ..self }
    }

    /// Returns the scale as a script needs it to compute the number at a position.
    pub(super) fn json(&self, right: f64) -> serde_json::Value {
        let Span { low, high } = self.span;
        serde_json::json!({
            "right": right, "low": low, "high": high, "from": self.from, "to": self.to, "log": self.is_log,
        })
    }

    pub(super) fn position(&self, number: f64) -> f64 {
        let Span { low, high } = self.span;
        let share = if self.is_log {
            (number.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln()
        } else {
            (number - low) / (high - low)
        };
        self.from + share * (self.to - self.from)
    }
}

/// Positions in equal steps across a pane; the first is half a step after `left`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    pub left: f64,
    pub step: f64,
}

impl Steps {
    pub(super) fn new(left: f64, right: f64, count: usize) -> Self {
        Self { left, step: (right - left) / count.max(1) as f64 }
    }

    pub(super) fn position(&self, index: usize) -> f64 {
        self.left + (index as f64 + 0.5) * self.step
    }
}

/// Thins a line to what can be seen: of the points within each `column` units of width, it retains the first, the lowest, the highest and
/// the last, in their order.
pub(super) fn thin_line(points: &[(f64, f64)], column: f64) -> Vec<(f64, f64)> {
    let columns = points.chunk_by(|a, b| (a.0 / column).floor().total_cmp(&(b.0 / column).floor()).is_eq());
    let mut retained = Vec::new();
    for points in columns {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let picked =
            [points.first(), points.iter().min_by(by_height), points.iter().max_by(by_height), points.last()];
        let mut picked: Vec<(f64, f64)> = picked.into_iter().flatten().copied().collect();
        picked.sort_by(|a, b| a.0.total_cmp(&b.0));
        picked.dedup();
        retained.extend(picked);
    }
    retained
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
        Span { low, high }.ticks(most).0
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(0.0, 100.0, 6), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(0.0, 100.0, 5), [0.0, 50.0, 100.0]);
        assert_eq!(ticks(0.0, 99.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(-37.0, 52.0, 4), [0.0, 50.0]);
        assert_eq!(ticks(-37.0, 52.0, 5), [-20.0, 0.0, 20.0, 40.0]);
        assert_eq!(ticks(1_234.0, 1_239.0, 5), [1_234.0, 1_236.0, 1_238.0]);
        let tiny = ticks(2e-9, 9e-9, 4);
        assert!(
            tiny.len() == 4 && tiny.iter().zip([2e-9, 4e-9, 6e-9, 8e-9]).all(|(a, b)| (a - b).abs() < 1e-18)
        );
        assert_eq!(ticks(0.0, 3e15, 3), [0.0, 2e15]);
    }

    #[test]
    fn ticks_are_never_more_than_asked_for() {
        for most in 1..12 {
            for (low, high) in [(0.0, 1.0), (-3.3, 7.7), (1e9, 1e9 + 7.0), (-1e99, 1e99), (0.09, 0.11)] {
                let (ticks, step) = Span { low, high }.ticks(most);
                assert!(ticks.len() <= most && step > 0.0, "{low} {high} {most}: {ticks:?}");
                assert!(
                    ticks.iter().all(|tick| (low..=high).contains(tick)),
                    "{low} {high} {most}: {ticks:?}"
                );
            }
        }
    }

    #[test]
    fn equal_numbers_get_a_span() {
        assert_eq!(Span::from_numbers([]), None);
        assert_eq!(Span::from_numbers([0.0, 0.0]), Some(Span { low: -1.0, high: 1.0 }));
        let span = Span::from_numbers([200.0]).expect("a number");
        assert!((span.low - 190.0).abs() < 1e-9 && (span.high - 210.0).abs() < 1e-9);
        assert_eq!(Span::from_numbers([3.0, -1.0]), Some(Span { low: -1.0, high: 3.0 }));
    }

    #[test]
    fn numbers_lie_where_they_should() {
        let scale = Scale::new(Span { low: 10.0, high: 20.0 }, 100.0, 0.0);
        let at: Vec<f64> = [10.0, 15.0, 20.0].map(|number| scale.position(number)).into();
        assert_eq!(at, [100.0, 50.0, 0.0]);
        let steps = Steps::new(10.0, 50.0, 4);
        assert!((steps.position(0) - 15.0).abs() < 1e-9 && (steps.position(3) - 45.0).abs() < 1e-9);
    }

    #[test]
    fn equal_percentages_lie_at_equal_lengths() {
        let scale = Scale::new(Span { low: 10.0, high: 1_000.0 }, 200.0, 0.0).log();
        let at: Vec<f64> = [10.0, 100.0, 1_000.0].map(|number| scale.position(number)).into();
        assert!(at.iter().zip([200.0, 100.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{at:?}");
        assert!(
            (scale.position(20.0) - scale.position(40.0) - (scale.position(200.0) - scale.position(400.0)))
                .abs()
                < 1e-9
        );
        // A span that reaches 0 has no percentages.
        let scale = Scale::new(Span { low: 0.0, high: 10.0 }, 0.0, 100.0).log();
        assert!((scale.position(5.0) - 50.0).abs() < 1e-9);
        assert_eq!(
            log_ticks(Span { low: 9.0, high: 110.0 }, 7).0,
            [10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0]
        );
        assert_eq!(log_ticks(Span { low: 9.0, high: 110.0 }, 4), (vec![10.0, 20.0, 50.0, 100.0], 10.0));
        assert_eq!(log_ticks(Span { low: 100.0, high: 110.0 }, 5).0, ticks(100.0, 110.0, 5));
    }

    #[test]
    fn a_thinned_line_keeps_its_peaks() {
        let line: Vec<_> =
            (0..1_000).map(|at| (f64::from(at) / 100.0, if at == 517 { 9.0 } else { 1.0 })).collect();
        let thin = thin_line(&line, 1.0);
        assert!(thin.len() <= 40 && thin.contains(&(5.17, 9.0)));
        assert_eq!((thin.first(), thin.last()), (line.first(), line.last()));
        assert_eq!(thin_line(&line[..3], 0.001), line[..3]);
    }
}
