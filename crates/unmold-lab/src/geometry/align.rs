//! Which node of ours is which node of the browser's?
//!
//! Both trees come from the same bytes, but not all is in both: we leave out scripts, hidden
//! elements, white space and comments; a browser without scripts reads `noscript`, and its parser
//! may differ in a detail. Children of nodes that belong together are aligned in order; what has no
//! partner has no box.

use unmold::{NodeId, Page};

/// A node of the browser's tree, in document order.
#[derive(Clone, PartialEq, Debug)]
pub struct SnapshotNode {
    /// Position of its parent.
    pub parent: Option<usize>,
    /// Name in lower case; `#text` for texts.
    pub name: String,
    /// Text of a text node.
    pub text: String,
    /// x, y, width, height.
    pub bounds: Option<[f64; 4]>,
}

/// What the browser shows of a page.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Snapshot {
    /// All nodes, in document order.
    pub nodes: Vec<SnapshotNode>,
    /// Width of the whole page in pixels.
    pub width: f64,
    /// Height of the whole page in pixels.
    pub height: f64,
}

/// More children than this are compared only near the place they should be at.
const FULL: usize = 1 << 22;

/// Bounds of each node of the page that the browser has a box for.
pub fn align(page: &Page, snapshot: &Snapshot) -> Vec<(NodeId, [f64; 4])> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); snapshot.nodes.len()];
    for (id, node) in snapshot.nodes.iter().enumerate() {
        if let Some(parent) = node.parent
            && may_have_partner(node)
        {
            children[parent].push(id);
        }
    }
    let root = snapshot.nodes.iter().position(|node| node.name == page.tag_name(NodeId::ROOT));
    let mut found = Vec::new();
    let mut open: Vec<(NodeId, usize)> =
        root.map(|root| (NodeId::ROOT, root)).into_iter().collect();
    while let Some((ours, theirs)) = open.pop() {
        if let Some(bounds) = snapshot.nodes[theirs].bounds {
            found.push((ours, bounds));
        }
        let our_children: Vec<NodeId> = page.children(ours).collect();
        open.extend(pairs(page, snapshot, &our_children, &children[theirs]));
    }
    found.sort_by_key(|&(id, _)| id);
    found
}

fn may_have_partner(node: &SnapshotNode) -> bool {
    match node.name.as_str() {
        "#text" => !node.text.trim().is_empty(),
        "#other" | "script" | "style" | "noscript" | "template" => false,
        name => !name.starts_with("::"),
    }
}

/// Children that belong together, by the longest common sequence of names.
fn pairs(
    page: &Page,
    snapshot: &Snapshot,
    ours: &[NodeId],
    theirs: &[usize],
) -> Vec<(NodeId, usize)> {
    let same = |a: NodeId, b: usize| page.tag_name(a) == snapshot.nodes[b].name;
    if ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(&a, &b)| same(a, b)) {
        return ours.iter().copied().zip(theirs.iter().copied()).collect();
    }
    if ours.len() * theirs.len() > FULL {
        return in_order(ours, theirs, same);
    }
    // Texts that say the same count double: they show which of several equal names it is.
    let weight = |a: NodeId, b: usize| -> u32 {
        if !same(a, b) {
            return 0;
        }
        2 + u32::from(beginning(page, a) == beginning_of(snapshot, b))
    };
    let width = theirs.len() + 1;
    let mut best = vec![0u32; (ours.len() + 1) * width];
    for i in (0..ours.len()).rev() {
        for j in (0..theirs.len()).rev() {
            let skipped = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let weight = weight(ours[i], theirs[j]);
            let paired = if weight > 0 { weight + best[(i + 1) * width + j + 1] } else { 0 };
            best[i * width + j] = skipped.max(paired);
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < ours.len() && j < theirs.len() {
        let weight = weight(ours[i], theirs[j]);
        if weight > 0 && best[i * width + j] == weight + best[(i + 1) * width + j + 1] {
            found.push((ours[i], theirs[j]));
            (i, j) = (i + 1, j + 1);
        } else if best[i * width + j] == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Each of ours with the next of theirs that has its name.
fn in_order(
    ours: &[NodeId],
    theirs: &[usize],
    same: impl Fn(NodeId, usize) -> bool,
) -> Vec<(NodeId, usize)> {
    const NEAR: usize = 64;
    let (mut found, mut from) = (Vec::new(), 0);
    for &a in ours {
        let near = &theirs[from..theirs.len().min(from + NEAR)];
        if let Some(at) = near.iter().position(|&b| same(a, b)) {
            found.push((a, near[at]));
            from += at + 1;
        }
    }
    found
}

/// The first word of a node, or its name's own emptiness.
fn beginning(page: &Page, id: NodeId) -> &str {
    let text = page.subtree(id).find(|&id| page.is_text(id)).map_or("", |id| page.text(id));
    text.split_whitespace().next().unwrap_or("")
}

fn beginning_of(snapshot: &Snapshot, id: usize) -> &str {
    // Nodes below follow in document order, until one that hangs on a node before this one.
    let below = snapshot.nodes[id..].iter().enumerate();
    let text = below
        .take_while(|(at, node)| *at == 0 || node.parent.is_some_and(|parent| parent >= id))
        .find(|(_, node)| node.name == "#text" && may_have_partner(node));
    text.and_then(|(_, node)| node.text.split_whitespace().next()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use unmold::Limits;

    fn snapshot(nodes: &[(usize, &str, &str)]) -> Snapshot {
        let node = |(id, &(parent, name, text)): (usize, &(usize, &str, &str))| SnapshotNode {
            parent: (id > 0).then_some(parent),
            name: name.to_owned(),
            text: text.to_owned(),
            bounds: Some([0.0, 0.0, id as f64, 1.0]),
        };
        Snapshot { nodes: nodes.iter().enumerate().map(node).collect(), width: 1.0, height: 1.0 }
    }

    #[test]
    fn what_only_one_side_has_gets_no_box() {
        let page = Page::parse(
            b"<script>x</script><p hidden>h</p><p>one</p><!-- c --><p>two</p>",
            &Limits::default(),
        );
        let theirs = snapshot(&[
            (0, "html", ""),
            (0, "head", ""),
            (1, "script", ""),
            (0, "body", ""),
            (3, "p", ""),
            (4, "#text", "h"),
            (3, "p", ""),
            (6, "#text", "one"),
            (3, "#other", " c "),
            (3, "#text", "\n "),
            (3, "p", ""),
            (10, "#text", "two"),
        ]);
        let found = align(&page, &theirs);
        let widths: Vec<(String, f64)> = found
            .iter()
            .map(|&(id, bounds)| (format!("{}{}", page.tag_name(id), page.text(id)), bounds[2]))
            .collect();
        let expected = [
            ("html", 0.0),
            ("head", 1.0),
            ("body", 3.0),
            ("p", 6.0),
            ("#textone", 7.0),
            ("p", 10.0),
            ("#texttwo", 11.0),
        ];
        assert_eq!(widths, expected.map(|(name, width)| (name.to_owned(), width)));
    }

    #[test]
    fn another_page_fits_as_far_as_it_goes() {
        let page = Page::parse(b"<div><p>a</p></div>", &Limits::default());
        assert!(align(&page, &Snapshot::default()).is_empty());
        let theirs = snapshot(&[(0, "html", ""), (0, "body", ""), (1, "table", "")]);
        assert_eq!(align(&page, &theirs).len(), 2);
    }
}
