use crate::eval::*; use std::collections::*; use unmold::*; use unmold::methods::*;
pub fn dump(site: &LabelledSite, t: &TreeMapping) {
    let pages: Vec<&Page> = site.pages.iter().map(|(_, p)| p).collect();
    let n = 24.min(pages.len());
    let tpl = t.learn(&Sample::without_duplicates(pages[..n].iter().copied())).unwrap();
    println!("== {} pages {} threshold {} trees {:?}", site.name, tpl.pages(), tpl.threshold(), tpl.trees().iter().map(|t| t.nodes.len()).collect::<Vec<_>>());
    let mut missed: HashMap<(String,String), (usize, usize)> = HashMap::new();
    let mut alltypes: HashMap<String, usize> = HashMap::new();
    for (g, p) in &site.pages[n..] {
        let Some(c) = &g.content else { continue };
        let k = g.kind.clone().unwrap_or_default();
        *alltypes.entry(k.clone()).or_default() += 1;
        let m = TreeMapping::mark(&tpl, p); let s = strip(p, &m);
        let cb: HashSet<String> = unmold::page::words(&c.to_lowercase()).map(|s| s.to_string()).collect();
        for id in s.texts() {
            let t = p.text(id).to_lowercase();
            let w: Vec<&str> = unmold::page::words(&t).collect();
            let out = w.iter().filter(|w| !cb.contains(**w)).count();
            if !w.is_empty() && out * 2 > w.len() {
                let key: String = t.chars().map(|c| if c.is_ascii_digit() {'0'} else {c}).take(60).collect();
                let e = missed.entry((k.clone(), key)).or_default(); e.0 += w.len(); e.1 += 1;
            }
        }
    }
    let mut v: Vec<_> = missed.into_iter().collect(); v.sort_by_key(|x| (std::cmp::Reverse(x.1.0), x.0.clone()));
    println!("{alltypes:?} missed tokens {}", v.iter().map(|x| x.1.0).sum::<usize>());
    for ((k, t), (a, b)) in v.iter().take(25) { println!("  {k:10} {a:5} tokens {b:4}x {t}"); }
}
