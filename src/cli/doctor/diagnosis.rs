//! One line of the report: its subject, its health, the finding, and the remedy.

use std::fmt;

use serde::Serialize;

/// Health of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Health {
    Ok,
    Warning,
    Fault,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Diagnosis {
    subject: String,
    pub(super) health: Health,
    finding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Diagnosis {
    /// Reports that a subject works.
    pub(super) fn ok(subject: impl Into<String>, finding: impl Into<String>) -> Self {
        Self { subject: subject.into(), health: Health::Ok, finding: finding.into(), remedy: None }
    }

    /// Reports a limit or a likely mistake.
    pub(super) fn warning(
        subject: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { health: Health::Warning, remedy: Some(remedy.into()), ..Self::ok(subject, finding) }
    }

    /// Reports that a subject does not work.
    pub(super) fn fault(
        subject: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { health: Health::Fault, ..Self::warning(subject, finding, remedy) }
    }

    /// Reports an error of this program, whose message has its remedy after a semicolon.
    pub(super) fn error(subject: impl Into<String>, message: &str) -> Self {
        let (finding, remedy) = message.split_once("; ").unwrap_or((message, ""));
        let remedy = Some(remedy.to_owned()).filter(|remedy| !remedy.is_empty());
        Self { health: Health::Fault, remedy, ..Self::ok(subject, finding) }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let health = match self.health {
            Health::Ok => "ok",
            Health::Warning => "warning",
            Health::Fault => "fault",
        };
        write!(f, "{health:<8} {}: {}", self.subject, self.finding)?;
        self.remedy.iter().try_for_each(|remedy| write!(f, "\n         do: {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_remedy_below_it() {
        assert_eq!(Diagnosis::ok("clock", "right").to_string(), "ok       clock: right");
        let lines = "fault    state: it is locked\n         do: stop the other; or wait";
        assert_eq!(Diagnosis::error("state", "it is locked; stop the other; or wait").to_string(), lines);
        assert_eq!(Diagnosis::error("state", "it is locked").to_string(), "fault    state: it is locked");
    }
}
