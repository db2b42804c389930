//! Logarithms by arithmetic that is the same on every machine, which `ln` of a system's library is
//! not.

/// The natural logarithm of a positive number.
pub(super) fn ln(x: f64) -> f64 {
    let bits = x.max(f64::MIN_POSITIVE).to_bits();
    let exponent = ((bits >> 52) as i64) - 1023;
    let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let (square, mut power, mut sum) = (z * z, z, 0.0);
    for odd in [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0] {
        sum += power / odd;
        power *= square;
    }
    2.0 * sum + exponent as f64 * std::f64::consts::LN_2
}

/// The log-odds of a probability, within ±6.
pub(super) fn log_odds(probability: f32) -> f32 {
    let p = f64::from(probability).clamp(0.0025, 0.9975);
    ln(p / (1.0 - p)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for x in [1e-9, 0.1, 0.5, 0.999, 1.0, 1.5, 2.0, 3.7, 1e6] {
            assert!((ln(x) - x.ln()).abs() < 1e-6, "{x}");
        }
        assert!(log_odds(0.5).abs() < 1e-6 && log_odds(1.0) > 5.9 && log_odds(0.0) < -5.9);
    }
}
