//! The figures of `tests/independent/vectors.csv`, and their comparison with ours.
//!
//! The script next to that file gives the source of each figure; no figure comes from the code under test.
//!
//! Invariant: a check that finds no vectors fails.

/// The file has twelve digits; a thousandfold margin allows for another order of additions.
const TOLERANCE: f64 = 1e-9;

/// The rows of the file.
pub(crate) struct Vectors {
    rows: Vec<VectorRow>,
}

struct VectorRow {
    series: &'static str,
    figure: &'static str,
    /// The argument `n` of the figure; `None` for a figure without it.
    n: Option<usize>,
    values: Vec<Option<f64>>,
}

impl Vectors {
    pub(crate) fn read() -> Self {
        let text = include_str!("../../../../tests/independent/vectors.csv");
        Self { rows: text.lines().map(VectorRow::parse).collect() }
    }

    /// Returns the values of a figure, null as `None`.
    pub(crate) fn optional_figures(&self, series: &str, figure: &str) -> Vec<Option<f64>> {
        let row = self.rows.iter().find(|row| row.series == series && row.figure == figure);
        row.unwrap_or_else(|| panic!("no {figure} of {series}")).values.clone()
    }

    /// Returns the values of a figure, null as NaN.
    pub(crate) fn figures(&self, series: &str, figure: &str) -> Vec<f64> {
        self.optional_figures(series, figure).into_iter().map(|value| value.unwrap_or(f64::NAN)).collect()
    }

    /// Returns the values of a rating, rank or class.
    pub(crate) fn whole_numbers(&self, series: &str, figure: &str) -> Vec<Option<i64>> {
        self.optional_figures(series, figure)
            .into_iter()
            .map(|value| value.map(|value| value as i64))
            .collect()
    }
}

impl VectorRow {
    fn parse(line: &'static str) -> Self {
        let mut cells = line.split(',');
        let mut next = || cells.next().unwrap();
        let (series, figure, n) = (next(), next(), next().parse().ok());
        Self { series, figure, n, values: cells.map(|cell| cell.parse().ok()).collect() }
    }
}

/// Runs `kernel` over every series and n that the file has for `figure`.
pub(crate) fn check_lookback(figure: &str, kernel: impl Fn(&[f64], usize) -> Vec<f64>) {
    let input = if figure == "rvol" { "volume" } else { "close" };
    let file = Vectors::read();
    let rows: Vec<&VectorRow> = file.rows.iter().filter(|row| row.figure == figure).collect();
    assert!(!rows.is_empty(), "no vectors for {figure}");
    for row in rows {
        assert_figures(&kernel(&file.figures(row.series, input), row.n.unwrap()), &row.values);
    }
}

/// Runs `kernel` over the cross-section.
pub(crate) fn check_among_members(figure: &str, kernel: impl Fn(&[f64], &[bool]) -> Vec<Option<i64>>) {
    let file = Vectors::read();
    let is_member: Vec<bool> =
        file.whole_numbers("cross_section", "is_member").into_iter().map(|flag| flag == Some(1)).collect();
    let ours = kernel(&file.figures("cross_section", "score"), &is_member);
    assert_eq!(ours, file.whole_numbers("cross_section", figure));
}

/// Asserts that `ours` (NaN is null) equals `expected`, null for null, up to a relative 1e-9.
pub(crate) fn assert_figures(ours: &[f64], expected: &[Option<f64>]) {
    assert_eq!(ours.len(), expected.len(), "rows");
    for (row, (ours, expected)) in ours.iter().zip(expected).enumerate() {
        let agree = match expected {
            None => ours.is_nan(),
            Some(expected) => (ours - expected).abs() <= TOLERANCE * expected.abs().max(1.0),
        };
        assert!(agree, "row {row}: {ours} but expected {expected:?}");
    }
}
