//! The size of a bench run, read from the command line.
//!
//! `cargo bench` appends `--bench` to the user's arguments. A bench with its own `main` (`harness = false`) receives it too, and
//! only uses it to tell `cargo bench` from `cargo test --benches`.

use anyhow::bail;

/// The size of a bench run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Enough calls for meaningful figures.
    Full,
    /// A few calls, which take seconds. Answers are still compared; the figures mean nothing.
    Small,
}

impl Scale {
    /// Reads the scale from the arguments; `None` under `cargo test --benches`, where a bench has nothing to do.
    ///
    /// # Errors
    /// An argument other than `--small`: a misspelt one would measure for minutes.
    pub(crate) fn from_arguments() -> anyhow::Result<Option<Self>> {
        let (added, own): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|argument| argument == "--bench");
        if added.is_empty() {
            return Ok(None);
        }
        let mut scale = Self::Full;
        for argument in own {
            if argument != "--small" {
                bail!("`{argument}` is not an argument of a bench; the only one is --small");
            }
            scale = Self::Small;
        }
        if scale == Self::Small {
            println!("--small: too few calls for the figures to mean anything");
        }
        Ok(Some(scale))
    }

    /// Returns the full or the small value.
    pub(crate) fn pick<T>(self, full: T, small: T) -> T {
        match self {
            Self::Full => full,
            Self::Small => small,
        }
    }
}
