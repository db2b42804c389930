//! The form in which labels are written into template files.

use serde::{Deserialize, Serialize};

use super::taught::{Taught, TaughtPage, Vote};

#[derive(Serialize, Deserialize)]
pub(crate) struct Stored {
    pages: Vec<TaughtPage>,
    strength: u32,
    /// How votes are weighed, in thousandths.
    tuning: Vec<i32>,
    /// `key page:content page:content …`, sorted; content in hundredths.
    votes: Vec<String>,
}

impl From<Taught> for Stored {
    fn from(taught: Taught) -> Stored {
        let mut keys: Vec<(u64, (u32, u32))> =
            taught.index.iter().map(|(&key, &range)| (key, range)).collect();
        keys.sort_unstable();
        let line = |(key, (start, end)): (u64, (u32, u32))| {
            let mut line = format!("{key:016x}");
            for vote in &taught.votes[start as usize..end as usize] {
                line.push_str(&format!(" {}:{}", vote.page, vote.content));
            }
            line
        };
        let votes = keys.into_iter().map(line).collect();
        Stored { votes, strength: taught.strength, tuning: taught.tuning, pages: taught.pages }
    }
}

/// A line that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("labels: `{0}` is damaged: learn the template again")]
pub(crate) struct Damaged(String);

impl TryFrom<Stored> for Taught {
    type Error = Damaged;

    fn try_from(stored: Stored) -> Result<Taught, Damaged> {
        let mut all = Vec::new();
        for line in &stored.votes {
            let damaged = || Damaged(line.clone());
            let (key, votes) = line.split_once(' ').ok_or_else(damaged)?;
            let key = u64::from_str_radix(key, 16).map_err(|_| damaged())?;
            for vote in votes.split(' ') {
                let (page, content) = vote.split_once(':').ok_or_else(damaged)?;
                let page: u16 = page.parse().map_err(|_| damaged())?;
                let content: u8 = content.parse().map_err(|_| damaged())?;
                if usize::from(page) >= stored.pages.len() || content > 100 {
                    return Err(damaged());
                }
                all.push((key, Vote { page, content }));
            }
        }
        all.sort_unstable_by_key(|&(key, vote)| (key, vote.page));
        Ok(Taught::of_votes(stored.pages, all, stored.strength.min(1000), stored.tuning))
    }
}
