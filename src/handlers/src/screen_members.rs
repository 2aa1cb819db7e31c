//! A saved screen: its page, and its stocks at the last two sessions on which it was run. The stocks that entered and left are the
//! differences between these sessions.
//!
//! It is stored as lines: the page, the mark of a screen whose picks are recorded, then one line for each session.

use chrono::NaiveDate;

use parquote_catalogue::operation::Tier;

/// Largest number of stocks that are stored for a session; a screen that lists more is not followed.
pub(super) const MOST_MEMBERS: usize = 500;

/// Beginning of the mark of a screen whose picks are recorded; a tier follows.
const RECORDED_BY: &str = "recorded-by ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SavedScreen {
    /// Its page below the market, with the query string.
    pub page: String,
    /// The tier under which its picks are recorded; `None` if they are not.
    pub recorded_by: Option<Tier>,
    /// The sessions on which it was run, at most two, the earlier one first.
    sessions: Vec<ScreenMembers>,
}

/// The stocks of a screen at a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenMembers {
    /// The last session of the data on which the screen was run.
    pub session: NaiveDate,
    /// The symbols of the stocks, in the order of the screen.
    pub symbols: Vec<String>,
}

/// The differences between two sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemberChanges {
    /// The earlier session.
    pub since: NaiveDate,
    /// Symbols of the stocks that only the later session has.
    pub entered: Vec<String>,
    /// Symbols of the stocks that only the earlier session has.
    pub left: Vec<String>,
}

impl SavedScreen {
    /// Parses a stored screen. Lines that are not sessions are skipped.
    pub(super) fn parse(content: &str) -> Self {
        let mut lines = content.lines();
        let page = lines.next().unwrap_or_default().to_owned();
        let recorded_by = lines.clone().find_map(|line| line.strip_prefix(RECORDED_BY)?.parse().ok());
        Self { page, recorded_by, sessions: lines.filter_map(ScreenMembers::parse).collect() }
    }

    /// Returns the stored text of the screen.
    pub(super) fn content(&self) -> String {
        let line = |at: &ScreenMembers| format!("\n{} {}", at.session, at.symbols.join(","));
        let mark = self.recorded_by.map(|tier| format!("\n{RECORDED_BY}{}", tier.word()));
        let first = [self.page.clone()].into_iter().chain(mark);
        first.chain(self.sessions.iter().map(line)).collect()
    }

    /// Returns the changes since the last stored session before that of `now`; `None` if there is none. `current` returns the present
    /// symbol of a stock whose symbol has changed.
    pub(super) fn changes(
        &self,
        now: &ScreenMembers,
        current: impl Fn(&str) -> Option<String>,
    ) -> Option<MemberChanges> {
        let earlier = self.sessions.iter().rfind(|known| known.session < now.session)?;
        let before: Vec<String> =
            earlier.symbols.iter().map(|symbol| current(symbol).unwrap_or_else(|| symbol.clone())).collect();
        Some(MemberChanges {
            since: earlier.session,
            entered: symbols_without(&now.symbols, &before),
            left: symbols_without(&before, &now.symbols),
        })
    }

    /// Returns the screen with another mark.
    #[must_use]
    pub(super) fn recorded_by(self, recorded_by: Option<Tier>) -> Self {
        Self { recorded_by, ..self }
    }

    /// Adds a run. One on data older than the newest run changes nothing; a run on the same session replaces it.
    #[must_use]
    pub(super) fn with_run(mut self, now: ScreenMembers) -> Self {
        if self.sessions.iter().any(|known| known.session > now.session) {
            return self;
        }
        let earlier = self.sessions.into_iter().rfind(|known| known.session < now.session);
        self.sessions = earlier.into_iter().chain([now]).collect();
        self
    }
}

impl ScreenMembers {
    fn parse(line: &str) -> Option<Self> {
        let (session, symbols) = line.split_once(' ')?;
        let symbols = symbols.split(',').filter(|symbol| !symbol.is_empty()).map(str::to_owned).collect();
        Some(Self { session: session.parse().ok()?, symbols })
    }
}

/// Returns true if the picks of a stored screen are recorded.
pub fn is_recorded(content: &str) -> bool {
    SavedScreen::parse(content).recorded_by.is_some()
}

fn symbols_without(symbols: &[String], others: &[String]) -> Vec<String> {
    symbols.iter().filter(|symbol| !others.contains(symbol)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(session: &str, symbols: &[&str]) -> ScreenMembers {
        ScreenMembers {
            session: session.parse().unwrap(),
            symbols: symbols.iter().map(|symbol| (*symbol).to_owned()).collect(),
        }
    }

    #[test]
    fn a_screen_is_compared_with_the_session_before_and_not_with_an_earlier_run_of_the_same() {
        let made = SavedScreen::parse("screener?min_rs=80");
        let monday = run("2026-10-26", &["A", "B"]);
        assert_eq!(made.changes(&monday, |_| None), None);
        let stored = made.with_run(monday).content();
        assert_eq!(stored, "screener?min_rs=80\n2026-10-26 A,B");
        // On Tuesday a first run, and one after a correction of the same session.
        let tuesday = SavedScreen::parse(&stored).with_run(run("2026-10-27", &["B"]));
        let corrected = run("2026-10-27", &["C", "B", "D"]);
        let expected = MemberChanges {
            since: "2026-10-26".parse().unwrap(),
            entered: vec!["C".to_owned(), "D".to_owned()],
            left: vec!["A".to_owned()],
        };
        assert_eq!(tuesday.changes(&corrected, |_| None), Some(expected));
        let tuesday = tuesday.with_run(corrected);
        assert_eq!(tuesday.content(), "screener?min_rs=80\n2026-10-26 A,B\n2026-10-27 C,B,D");
        // Wednesday is compared with Tuesday, and Monday is forgotten.
        let wednesday = tuesday.clone().with_run(run("2026-10-28", &[]));
        assert_eq!(wednesday.content(), "screener?min_rs=80\n2026-10-27 C,B,D\n2026-10-28 ");
        assert_eq!(SavedScreen::parse(&wednesday.content()), wednesday);
        // The mark stays with each run.
        let marked = wednesday.clone().recorded_by(Some(Tier::ApiPro));
        assert_eq!(
            marked.content(),
            "screener?min_rs=80\nrecorded-by api_pro\n2026-10-27 C,B,D\n2026-10-28 "
        );
        assert_eq!(SavedScreen::parse(&marked.content()), marked);
        // Older data, as after a rollback, is compared with what is older still, and not stored.
        let rolled_back = run("2026-10-27", &["C"]);
        assert_eq!(wednesday.changes(&rolled_back, |_| None), None);
        assert_eq!(wednesday.clone().with_run(rolled_back), wednesday);
    }

    #[test]
    fn a_new_symbol_of_the_same_stock_neither_enters_nor_leaves() {
        let stored = SavedScreen::parse("screener?min_rs=80\n2026-10-26 OLD,B\nnonsense");
        let now = run("2026-10-27", &["NEW", "B"]);
        let changes = stored.changes(&now, |symbol| (symbol == "OLD").then(|| "NEW".to_owned())).unwrap();
        assert!(changes.entered.is_empty() && changes.left.is_empty());
    }
}
