//! The tiers of access and their quotas.

crate::word_enum! {
    /// A tier of access. The order of the variants is not the order of the tiers; compare them by [`Tier::reaches`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Tier {
        /// Free operations, for a fixed list of symbols.
        Free = "free",
        /// Free operations, for all symbols.
        PremiumWeb = "premium_web",
        /// Like `api_pro`, with another quota.
        ProfessionalWeb = "professional_web",
        /// Most operations.
        ApiPro = "api_pro",
        /// Every operation.
        ApiMax = "api_max",
    }
    const ALL "All tiers, lowest first.";
    fn word "Returns the tier's word in keys, answers and declarations.";
    parse "a tier", "tiers";
}

/// Request quota of a tier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quota {
    /// Requests from midnight to midnight, IST.
    pub day: u32,
    /// Requests in a full hour of the clock, IST.
    pub hour: u32,
}

/// Access needed for an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Access {
    /// No key is needed.
    #[default]
    Public,
    /// A key of this tier or of a higher one is needed.
    From(Tier),
}

impl Tier {
    /// Returns true if this tier includes `needed`.
    pub const fn reaches(self, needed: Self) -> bool {
        self.rank() >= needed.rank()
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

    /// Returns the maximum number of rows of an operation whose `limit` has a cap by tier.
    pub const fn row_cap(self) -> i64 {
        match self {
            Self::Free => 10,
            Self::PremiumWeb => 25,
            Self::ProfessionalWeb | Self::ApiPro => 50,
            Self::ApiMax => 100,
        }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Free => 0,
            Self::PremiumWeb => 1,
            Self::ProfessionalWeb | Self::ApiPro => 2,
            Self::ApiMax => 3,
        }
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
