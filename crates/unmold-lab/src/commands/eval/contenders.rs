//! What is to be compared, as typed.

use unmold_lab::eval::contender::ContenderName;

use crate::args::EvalArgs;

/// What was asked for, or all of it.
pub fn names(args: &EvalArgs) -> Vec<ContenderName> {
    if args.method.is_empty() { ContenderName::all() } else { args.method.clone() }
}
