//! The tiers of access and their quotas.

use std::fmt;
use std::str::FromStr;

/// A tier of access. The variants' order is not the ladder; use [`Tier::reaches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Free operations, a fixed list of symbols.
    Free,
    /// Free operations, the full universe.
    PremiumWeb,
    /// Like `api_pro`, with another quota.
    ProfessionalWeb,
    /// Most operations.
    ApiPro,
    /// Every operation.
    ApiMax,
}

/// Request quota of a tier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quota {
    /// Requests from midnight to midnight, IST.
    pub day: u32,
    /// Requests in a clock hour, IST.
    pub hour: u32,
}

/// Access needed for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a key.
    Public,
    /// Keys of this tier and those above it.
    From(Tier),
}

impl Tier {
    /// All tiers, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Free, Self::PremiumWeb, Self::ProfessionalWeb, Self::ApiPro, Self::ApiMax];

    /// Returns the tier's word in keys, answers and declarations.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::PremiumWeb => "premium_web",
            Self::ProfessionalWeb => "professional_web",
            Self::ApiPro => "api_pro",
            Self::ApiMax => "api_max",
        }
    }

    /// Returns true if this tier includes `needed`.
    pub const fn reaches(self, needed: Self) -> bool {
        self.rung() >= needed.rung()
    }

    /// Returns the requests per day and per hour.
    pub const fn quota(self) -> Quota {
        match self {
            Self::Free => Quota { day: 50, hour: 10 },
            Self::PremiumWeb => Quota { day: 500, hour: 100 },
            Self::ProfessionalWeb => Quota { day: 2_000, hour: 400 },
            Self::ApiPro => Quota { day: 1_000, hour: 200 },
            Self::ApiMax => Quota { day: 5_000, hour: 1_000 },
        }
    }

    /// Returns the maximum rows of an operation whose `limit` is capped by tier.
    pub const fn row_cap(self) -> i64 {
        match self {
            Self::Free => 10,
            Self::PremiumWeb => 25,
            Self::ProfessionalWeb | Self::ApiPro => 50,
            Self::ApiMax => 100,
        }
    }

    const fn rung(self) -> u8 {
        match self {
            Self::Free => 0,
            Self::PremiumWeb => 1,
            Self::ProfessionalWeb | Self::ApiPro => 2,
            Self::ApiMax => 3,
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|tier| tier.word() == word).ok_or_else(|| {
            let known = Self::ALL.map(Self::word).join(", ");
            format!("`{word}` is not a tier; the tiers are {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_middle_tiers_reach_the_same() {
        assert!(Tier::ProfessionalWeb.reaches(Tier::ApiPro));
        assert!(Tier::ApiPro.reaches(Tier::ProfessionalWeb));
        assert!(!Tier::PremiumWeb.reaches(Tier::ApiPro));
        assert!(!Tier::ApiPro.reaches(Tier::ApiMax));
        assert!(Tier::ApiMax.reaches(Tier::Free));
    }
}
