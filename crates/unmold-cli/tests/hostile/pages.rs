//! Pages made to take long, or much memory. Each generator makes a page of about `n` parts; the
//! same seed gives the same page.

/// Draws numbers; good enough to vary pages.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A generator of pages: number of parts and seed.
pub type Generator = fn(usize, u64) -> String;

/// The pages, by name, and the number of parts that takes a moment.
pub const BOMBS: [(&str, Generator, usize); 19] = [
    ("colliding words", colliding_words, 4_000),
    ("colliding attributes", colliding_attributes, 3_000),
    ("colliding tags", colliding_tags, 3_000),
    ("distinct tags", distinct_tags, 4_000),
    ("images", images, 6_000),
    ("siblings", siblings, 4_000),
    ("siblings with ids", siblings_with_ids, 2_000),
    ("nested lists", nested_lists, 3_000),
    ("random headings", random_headings, 1_200),
    ("random tree", random_tree, 3_000),
    ("columns", columns, 3_000),
    ("links", links, 3_000),
    ("misnested formatting", misnested_formatting, 3_000),
    ("one long word", one_long_word, 400_000),
    ("one long text", one_long_text, 80_000),
    ("attributes", attributes, 1_000),
    ("long names", long_names, 5_000),
    ("deep lists", deep_lists, 3_000),
    ("tables in tables", tables, 2_000),
];

fn page(body: &str, seed: u64) -> String {
    format!(
        "<!doctype html><title>Page {seed}</title><body><nav>Home Shop Contact</nav>{body}\
         <p>The end of page {seed}</p>"
    )
}

fn parts(n: usize, part: impl FnMut(usize) -> String) -> String {
    (0..n).map(part).collect()
}

/// A word that collides with all others under the hash function of rustc, whose seeds are fixed.
fn colliding_word(chance: &mut Chance) -> String {
    let middle: String = (0..8).map(|_| char::from(b'a' + chance.below(26) as u8)).collect();
    format!("yyetibhuaxxdaaaa{middle}ohrlfdju")
}

fn colliding_words(n: usize, seed: u64) -> String {
    let chance = &mut Chance::new(1);
    page(&format!("<p>{}", parts(n, |_| colliding_word(chance) + " ")), seed)
}

fn colliding_attributes(n: usize, seed: u64) -> String {
    let chance = &mut Chance::new(2);
    page(&parts(n, |at| format!("<i {}=1>{at}</i> ", colliding_word(chance))), seed)
}

fn colliding_tags(n: usize, seed: u64) -> String {
    let chance = &mut Chance::new(3);
    let tag = |at| {
        let name = colliding_word(chance);
        format!("<{name}>{at}</{name}> ")
    };
    page(&parts(n, tag), seed)
}

fn distinct_tags(n: usize, seed: u64) -> String {
    page(&parts(n, |at| format!("<tag{at}>word {at}</tag{at}>")), seed)
}

fn images(n: usize, seed: u64) -> String {
    page(&parts(n, |at| format!("<img src=/{at}.png>")), seed)
}

fn siblings(n: usize, seed: u64) -> String {
    page(&parts(n, |at| format!("<p>Paragraph {at} of page {seed}</p>")), seed)
}

fn siblings_with_ids(n: usize, seed: u64) -> String {
    let letters = |mut at: usize| {
        let mut name = String::new();
        for _ in 0..6 {
            name.push(char::from(b'a' + (at % 26) as u8));
            at /= 26;
        }
        name
    };
    page(&parts(n, |at| format!("<div id={0} class={0}>Block {at}</div>", letters(at))), seed)
}

/// Lists in lists, all different.
fn nested_lists(n: usize, seed: u64) -> String {
    let chance = &mut Chance::new(seed + 5);
    let mut html = String::new();
    let mut depth = 0;
    for at in 0..n {
        match chance.below(3) {
            0 if depth > 1 => {
                html.push_str("</ul>");
                depth -= 1;
            }
            1 if depth < 40 => {
                html.push_str("<ul>");
                depth += 1;
            }
            _ => html.push_str(&format!("<li>{}", if at % 3 == 0 { "<b>x</b>" } else { "y" })),
        }
    }
    page(&html, seed)
}

fn random_headings(n: usize, seed: u64) -> String {
    let chance = &mut Chance::new(seed + 7);
    let part = |at| {
        let tag = if chance.below(2) == 0 { "p" } else { "h2" };
        format!("<{tag}>{at} {}</{tag}>", chance.below(1000))
    };
    page(&parts(n, part), seed)
}

fn random_tree(n: usize, seed: u64) -> String {
    let chance = &mut Chance::new(seed + 11);
    let tags = ["div", "span", "section", "ul", "p", "a", "em"];
    let part = |at| {
        let tag = tags[chance.below(tags.len() as u64) as usize];
        match chance.below(3) {
            0 => format!("</{tag}>"),
            _ => format!("<{tag} class=c{}>t{at} ", chance.below(50)),
        }
    };
    page(&parts(n, part), seed)
}

/// Deep columns side by side.
fn columns(n: usize, seed: u64) -> String {
    let depth = 30;
    let column = |at| format!("{}t{at}{}", "<div>".repeat(depth), "</div>".repeat(depth));
    page(&parts(n / depth, column), seed)
}

fn links(n: usize, seed: u64) -> String {
    page(&parts(n, |at| format!("<a href=/{seed}/{at}>Link {at}</a> ")), seed)
}

fn misnested_formatting(n: usize, seed: u64) -> String {
    page(&parts(n, |at| format!("<b><i>{at}</b>{at}</i> ")), seed)
}

fn one_long_word(n: usize, seed: u64) -> String {
    page(&format!("<p>{}</p>", "x".repeat(n)), seed)
}

fn one_long_text(n: usize, seed: u64) -> String {
    page(&format!("<p>{}</p>", parts(n, |at| format!("w{at} "))), seed)
}

fn attributes(n: usize, seed: u64) -> String {
    page(&format!("<div {}>text</div>", parts(n, |at| format!("a{at}=1 "))), seed)
}

/// Names that html5ever keeps in a table, in a page that the fast parser leaves to it.
fn long_names(n: usize, seed: u64) -> String {
    let names = parts(n, |at| format!("<p attribute-{at:06}=1>x</p>"));
    page(&format!("<template>x</template>{names}"), seed)
}

fn deep_lists(n: usize, seed: u64) -> String {
    let depth = 100;
    let list = |at| format!("{}{at}{}", "<ul><li>".repeat(depth), "</ul>".repeat(depth));
    page(&parts(n / depth, list), seed)
}

fn tables(n: usize, seed: u64) -> String {
    let depth = 10;
    let table =
        |at| format!("{}{at}{}", "<table><tr><td>a<td>".repeat(depth), "</table>".repeat(depth));
    page(&parts(n / depth, table), seed)
}
