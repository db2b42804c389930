//! Writes what labels say about blocks of other pages, to fit the weights of teaching
//! (`tools/teach/fit.py`).
//!
//!     cargo run --release -p unmold-lab --example teach_rows -- CORPUS PEERS OUT.bin \
//!         BELIEF SMOOTH SQUARES SET...
//!
//! Each block is a row of 32-bit floats: fold, set, teacher, number of labelled pages, page, share
//! that is content, words, the features of labels, the probability of the default.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::teach::Tuning;
use unmold_lab::data::Manifest;
use unmold_lab::eval::folds;
use unmold_lab::eval::labelled::LabelledSite;
use unmold_lab::eval::outputs::Outputs;
use unmold_lab::eval::teaching::{Choice, Pupil, Teacher};

/// At most so many pages of a site are exported for each number of labels.
const PAGES: usize = 24;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, peers, out, belief, smooth, squares, sets @ ..] = &args[..] else {
        anyhow::bail!("usage: teach_rows CORPUS PEERS OUT.bin BELIEF SMOOTH SQUARES SET...")
    };
    let tuning = Tuning {
        belief: belief.parse()?,
        smooth: smooth.parse()?,
        squares: squares.parse()?,
        ..Tuning::default()
    };
    let peers = Outputs::read_all(Path::new(peers))?;
    let tool = peers.iter().find(|peer| peer.tool.starts_with("trafilatura"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    for (number, set) in sets.iter().enumerate() {
        let found = Manifest::built_in().find(&Path::new(corpus).join(set))?;
        for set in &found {
            for files in &set.sites {
                let site = LabelledSite::read(files, false)?;
                let rows =
                    rows(&set.name, number, &site, tool, &tuning).context(files.name.clone())?;
                for value in rows {
                    file.write_all(&value.to_le_bytes())?;
                }
            }
        }
    }
    Ok(file.flush()?)
}

fn rows(
    set: &str,
    set_number: usize,
    site: &LabelledSite,
    tool: Option<&Outputs>,
    tuning: &Tuning,
) -> Result<Vec<f32>> {
    let pupil = Pupil::new(set, site)?;
    let fold = folds::fold_of(set, &site.name).map_or(-1.0, |fold| fold as f32);
    let teachers = [Some(Teacher::Gold), Some(Teacher::Noisy), tool.map(|t| Teacher::Tool(t, set))];
    let mut rows = Vec::new();
    for number in [1usize, 2, 3, 5, 10] {
        let labelled = pupil.choose(Choice::Chance, number, number as u64);
        let mut others = pupil.others(&labelled);
        others.sort_by_key(|&at| xxhash_rust::xxh3::xxh3_64(site.pages[at].0.file.as_bytes()));
        others.truncate(PAGES);
        for (teacher_number, teacher) in teachers.iter().enumerate() {
            let Some(teacher) = teacher else { continue };
            let labels = pupil.labels(*teacher, &labelled);
            if labels.is_empty() {
                continue;
            }
            let template = pupil.taught(&labels);
            let of_page = |&at: &usize| {
                let mut rows = Vec::new();
                let page = &site.pages[at].1;
                let Some(gold) = pupil.gold(at) else { return rows };
                let features = template.label_features(page, pupil.model, tuning);
                let words = pupil.words(page);
                for (((row, content), label), words) in features.iter().zip(&gold.blocks).zip(words)
                {
                    let Some(label) = label else { continue };
                    let head = [fold, set_number as f32, teacher_number as f32, number as f32];
                    rows.extend(head);
                    rows.extend([at as f32, *label, words]);
                    rows.extend(row);
                    rows.push(*content);
                }
                rows
            };
            let found: Vec<Vec<f32>> = others.par_iter().map(of_page).collect();
            rows.extend(found.into_iter().flatten());
        }
    }
    Ok(rows)
}
