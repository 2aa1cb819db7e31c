//! A column of whole numbers: the least of them, and how far each is above it in as few bytes as the farthest needs.
//!
//! Prices are whole numbers of hundredths where all of them are; otherwise their bits are the numbers. Either way the same
//! bits come back.

/// Adds columns to bytes.
#[derive(Default)]
pub(crate) struct Packer {
    pub(crate) bytes: Vec<u8>,
}

/// Takes columns from bytes; none where there is no such column.
pub(crate) struct Unpacker<'a> {
    pub(crate) bytes: &'a [u8],
}

impl Packer {
    /// Adds one number.
    pub(crate) fn number(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds a column.
    pub(crate) fn column(&mut self, numbers: impl Iterator<Item = i64> + Clone) {
        let least = numbers.clone().min().unwrap_or_default();
        let most = numbers.clone().max().unwrap_or_default();
        let above = numbers.map(|number| number.wrapping_sub(least) as u64);
        self.bytes.extend_from_slice(&least.to_le_bytes());
        match most.wrapping_sub(least) as u64 {
            0 => self.bytes.push(0),
            1..=0xFF => self.each(1, above, |number| [number as u8]),
            0x100..=0xFFFF => self.each(2, above, |number| (number as u16).to_le_bytes()),
            0x1_0000..=0xFFFF_FFFF => self.each(4, above, |number| (number as u32).to_le_bytes()),
            _ => self.each(8, above, u64::to_le_bytes),
        }
    }

    fn each<const N: usize>(
        &mut self,
        width: u8,
        numbers: impl Iterator<Item = u64>,
        bytes: impl Fn(u64) -> [u8; N],
    ) {
        self.bytes.push(width);
        for number in numbers {
            self.bytes.extend_from_slice(&bytes(number));
        }
    }

    /// Adds a column of prices.
    pub(crate) fn prices(&mut self, prices: impl Iterator<Item = f64> + Clone) {
        let are_hundredths =
            prices.clone().all(|price| of_hundredths(hundredths(price)).to_bits() == price.to_bits());
        self.bytes.push(u8::from(are_hundredths));
        if are_hundredths {
            self.column(prices.map(hundredths));
        } else {
            self.column(prices.map(|price| price.to_bits() as i64));
        }
    }
}

/// The nearest number of hundredths of a price, which is positive.
fn hundredths(price: f64) -> i64 {
    (price * 100.0 + 0.5) as i64
}

fn of_hundredths(number: i64) -> f64 {
    number as f64 / 100.0
}

impl<'a> Unpacker<'a> {
    /// The next bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(bytes)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// Gives each row its number of the next column.
    pub(crate) fn column<T>(&mut self, rows: &mut [T], mut set: impl FnMut(&mut T, i64)) -> Option<()> {
        let least = self.number()? as i64;
        let [width] = *self.take(1)? else { return None };
        let bytes = self.take(rows.len().checked_mul(usize::from(width))?)?;
        let mut set = |row: &mut T, above: u64| set(row, least.wrapping_add(above as i64));
        match width {
            0 => rows.iter_mut().for_each(|row| set(row, 0)),
            1 => each(rows, bytes, |row, [byte]| set(row, u64::from(byte))),
            2 => each(rows, bytes, |row, bytes| set(row, u64::from(u16::from_le_bytes(bytes)))),
            4 => each(rows, bytes, |row, bytes| set(row, u64::from(u32::from_le_bytes(bytes)))),
            8 => each(rows, bytes, |row, bytes| set(row, u64::from_le_bytes(bytes))),
            _ => return None,
        }
        Some(())
    }

    /// Gives each row its price of the next column.
    pub(crate) fn prices<T>(&mut self, rows: &mut [T], mut set: impl FnMut(&mut T, f64)) -> Option<()> {
        match *self.take(1)? {
            [0] => self.column(rows, |row, number| set(row, f64::from_bits(number as u64))),
            _ => self.column(rows, |row, number| set(row, of_hundredths(number))),
        }
    }
}

fn each<T, const N: usize>(rows: &mut [T], bytes: &[u8], mut set: impl FnMut(&mut T, [u8; N])) {
    let (numbers, _) = bytes.as_chunks::<N>();
    for (row, number) in rows.iter_mut().zip(numbers) {
        set(row, *number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(numbers: &[i64]) -> (Vec<i64>, usize) {
        let mut packer = Packer::default();
        packer.column(numbers.iter().copied());
        let mut back = vec![0; numbers.len()];
        let mut unpacker = Unpacker { bytes: &packer.bytes };
        unpacker.column(&mut back, |row, number| *row = number).unwrap();
        assert!(unpacker.bytes.is_empty());
        // The least number takes eight bytes, the width one.
        (back, packer.bytes.len() - 9)
    }

    #[test]
    fn numbers_come_back_from_as_few_bytes_as_they_need() {
        for (numbers, bytes) in [
            (vec![], 0),
            (vec![7, 7], 0),
            (vec![-1, 254], 2),
            (vec![1000, 1256], 4),
            (vec![-1, 70_000, 5], 12),
            (vec![i64::MIN, i64::MAX, 0], 24),
        ] {
            assert_eq!(again(&numbers), (numbers, bytes));
        }
    }

    #[test]
    fn prices_come_back_to_the_last_bit() {
        for prices in [vec![0.1, 766.4, 14_760.01, 99_999_999.99], vec![0.1 + 0.2, 1e300, 5e-324], vec![]] {
            let mut packer = Packer::default();
            packer.prices(prices.iter().copied());
            let mut back = vec![0.0; prices.len()];
            Unpacker { bytes: &packer.bytes }.prices(&mut back, |row, price| *row = price).unwrap();
            assert!(back.iter().zip(&prices).all(|(a, b)| a.to_bits() == b.to_bits()), "{prices:?}");
        }
    }

    #[test]
    fn bytes_that_end_early_give_nothing() {
        let mut packer = Packer::default();
        packer.column([1_i64, 300].into_iter());
        for end in 0..packer.bytes.len() {
            let mut unpacker = Unpacker { bytes: &packer.bytes[..end] };
            assert_eq!(unpacker.column(&mut [0_i64; 2], |row, number| *row = number), None);
        }
    }
}
