//! scratch
mod eval; mod dump;
use eval::*;
use unmold::methods::{ChunkFrequency,Combination,TreeMapping};
use unmold::page::LabelProfile;
fn main() -> anyhow::Result<()> {
    let root = std::env::args().nth(1).unwrap();
    let filt = std::env::args().nth(2).unwrap_or_default();
    let n: Option<usize> = std::env::args().nth(3).and_then(|s| s.parse().ok());
    let keep_hidden = std::env::var("KH").is_ok();
    let mut cs: Vec<(String, Contender)> = vec![("line".into(), Contender::LineFrequency)];
    cs.push((format!("chunk"), Contender::ChunkFrequency(ChunkFrequency::default())));
    if std::env::var("ALL").is_ok() { cs.push(("paper".into(), Contender::TreeMapping(TreeMapping::paper()))); }
    let mut s: Vec<&str> = vec![]; let spec = std::env::var("TM").unwrap_or_default(); s.extend(spec.split(' ').filter(|x| !x.is_empty()));
    if std::env::var("ALL").is_ok() || s.is_empty() { cs.push(("tm default".into(), Contender::TreeMapping(TreeMapping::default()))); }
    for spec in s {
        let mut t = TreeMapping::default();
        let (mut r, mut sh, mut mm, mut f) = match t.combination { Combination::Support{references, share, same_kind, foreign} => (references, share, same_kind, foreign), _ => unreachable!() };
        for part in spec.split(',') {
            let (k, v) = part.split_once('=').unwrap();
            match k { "q" => r = v.parse()?, "s" => sh = v.parse()?, "m" => mm = v.parse()?, "f" => f = v.parse()?, "mv" => t.allow_moved = v == "1", "rep" => t.repeats = v == "1", "p" => t.patience = v.parse()?, "max" => t.max_pages = v.parse()?,
              "l" => t.labels = match v { "t" => LabelProfile::Tag, "c" => LabelProfile::TagContent, "s" => LabelProfile::TagShown, _ => LabelProfile::TagIdClass }, _ => panic!() }
        }
        t.combination = Combination::Support{references: r, share: sh, same_kind: mm, foreign: f};
        cs.push((spec.to_string(), Contender::TreeMapping(t)));
    }
    for (set, sites) in find_sites(root.as_ref())? {
        if !filt.is_empty() && !filt.split(',').any(|f| f == set) { continue; }
        let sites: Vec<LabelledSite> = sites.iter().map(|s| LabelledSite::read(s, keep_hidden)).collect::<anyhow::Result<_>>()?;
        let sites: Vec<LabelledSite> = sites.into_iter().map(|mut s| { if std::env::var("SPREAD").is_ok() && let Some(k) = n {
            let len = s.pages.len(); let k = k.min(len); let picked: std::collections::BTreeSet<usize> = (0..k).map(|i| i * len / k).collect();
            let (mut a, mut b) = (vec![], vec![]); for (i, p) in s.pages.into_iter().enumerate() { if picked.contains(&i) { a.push(p) } else { b.push(p) } } a.extend(b); s.pages = a; } s }).collect();
        if std::env::var("DUMP").is_ok() { if let Contender::TreeMapping(t) = &cs.last().unwrap().1 { for s in &sites { dump::dump(s, t); } } continue; }
        for (name, c) in &cs {
            let t0 = std::time::Instant::now();
            let r: Vec<_> = sites.iter().map(|s| score_site(s, c, n)).collect::<Result<_, _>>()?;
            let el = t0.elapsed();
            let r = mean_of_sites(&set, r);
            print!("{set:16} {name:12}");
            for k in ["content F1","content P","content R","template F1","template P","template R","retention","removed share"] {
                if let Some(v) = r.mean.get(k) { print!(" {k} {v:.3}"); if k=="retention" {print!(" worst {:.2}", r.worst[k]);} }
            }
            println!(" {:.1}s", el.as_secs_f64());
            if std::env::var("V").is_ok() { for s in &r.sites { print!(" {}:{:.2}/{:.2}/{:.2}", s.site, s.scores.get("template F1").unwrap_or(&0.), s.scores.get("template P").unwrap_or(&0.), s.scores.get("template R").unwrap_or(&0.)); } println!(); }
        }
    }
    Ok(())
}
