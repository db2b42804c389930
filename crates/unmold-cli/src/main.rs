//! scratch
mod eval;
use eval::*;
use unmold::methods::{ChunkFrequency,Threshold};
fn main() -> anyhow::Result<()> {
    let root = std::env::args().nth(1).unwrap();
    let filt = std::env::args().nth(2).unwrap_or_default();
    let keep_hidden = std::env::var("KH").is_ok();
    let mut cs: Vec<(String, Contender)> = vec![("full".into(), Contender::Full), ("line".into(), Contender::LineFrequency)];

    cs.push((format!("chunk"), Contender::ChunkFrequency(ChunkFrequency::default())));
    for (set, sites) in find_sites(root.as_ref())? {
        if !filt.is_empty() && !filt.split(',').any(|f| f == set) { continue; }
        let sites: Vec<LabelledSite> = sites.iter().map(|s| LabelledSite::read(s, keep_hidden)).collect::<anyhow::Result<_>>()?;
        for (name, c) in &cs {
            let r: Vec<_> = sites.iter().map(|s| score_site(s, c, None)).collect::<Result<_, _>>()?;
            let r = mean_of_sites(&set, r);
            print!("{set:16} {name:12}");
            for k in ["content F1","content P","content R","template F1","retention","removed share"] {
                if let Some(v) = r.mean.get(k) { print!(" {k} {v:.3}"); if k=="retention" {print!(" worst {:.2}", r.worst[k]);} }
            }
            println!();
        }
    }
    Ok(())
}
