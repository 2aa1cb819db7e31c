//! Random draws without replacement, the same on every machine and in every version: SplitMix64 (Steele, Lea and Flood 2014) and the
//! algorithm of Floyd (Bentley 1987).

/// A generator with its scratch space.
pub(super) struct RandomDraw {
    state: u64,
    /// For each position, the number of the draw that took it last.
    last_draws: Vec<u32>,
    draw: u32,
}

impl RandomDraw {
    /// Returns the generator of one portfolio, which may draw from up to this number of positions.
    pub(super) fn new(seed: u64, portfolio: u64, positions: usize) -> Self {
        let mut seeding = Self { state: seed, last_draws: Vec::new(), draw: 0 };
        let start = seeding.next() ^ portfolio.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut seeded = Self { state: start, last_draws: vec![0; positions], draw: 0 };
        // One more step, so that portfolios with neighbouring numbers have unrelated sequences.
        seeded.state = seeded.next();
        seeded
    }

    /// Calls `visit` for `count` different positions below `positions`; for all positions, if there are not more than `count`.
    pub(super) fn visit(&mut self, count: usize, positions: usize, mut visit: impl FnMut(usize)) {
        self.draw += 1;
        for upper in positions.saturating_sub(count)..positions {
            let drawn = self.below(upper as u64 + 1) as usize;
            let position = if self.is_taken(drawn) { upper } else { drawn };
            if let Some(last_draw) = self.last_draws.get_mut(position) {
                *last_draw = self.draw;
            }
            visit(position);
        }
    }

    fn is_taken(&self, position: usize) -> bool {
        self.last_draws.get(position) == Some(&self.draw)
    }

    /// Returns a number below `bound`; a 64-bit product makes its bias less than one in 2^50.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // First outputs for the seed 1234567, of the reference implementation in C by Vigna.
        let mut draw = RandomDraw { state: 1_234_567, last_draws: Vec::new(), draw: 0 };
        let first = [draw.next(), draw.next(), draw.next()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn every_place_is_drawn_equally_often_and_once_a_draw() {
        let mut counts = [0_u32; 7];
        let mut draw = RandomDraw::new(3, 5, 7);
        for _ in 0..70_000 {
            let mut seen = Vec::new();
            draw.visit(3, 7, |position| seen.push(position));
            for position in &seen {
                counts[*position] += 1;
            }
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 3);
        }
        // 30,000 are expected, with a standard deviation of 131.
        assert!(counts.iter().all(|count| count.abs_diff(30_000) < 700), "{counts:?}");
        let mut all = Vec::new();
        draw.visit(9, 7, |position| all.push(position));
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
    }
}
