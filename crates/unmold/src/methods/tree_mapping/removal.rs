//! Finds the nodes of a page that belong to a learned template. The paper omits this step.
//!
//! R1 maps the template to the page as learning does, and is the reference. R2 is the linear
//! mapping of the module `greedy`, used by [`LearnedTemplate::mark`](crate::LearnedTemplate::mark).
//! R3 looks up subtrees by hash wherever they occur, for templates that allow it.
//!
//! time: R2 and R3 are linear in the page and the template; R1 is at worst the product of both.

use super::greedy::{Greedy, Repeats};
use super::mapping::{Costs, Mapper};
use super::template::TreeTemplate;
use super::tree::{Index, Run, Tree};
use crate::marks::{Marks, Source};
use crate::page::{Flag, NodeId, Page};

/// Marks by R2, and R3 where the template allows moved blocks.
pub(super) fn mark_linear(template: &TreeTemplate, page: &Page) -> Marks {
    let mut greedy = Greedy::default();
    let repeats = if template.stored.repeats { Repeats::Mapped } else { Repeats::Unmapped };
    mark(template, page, |tree, index, page_tree, found| {
        greedy.map(tree, index, page_tree, repeats, found)
    })
}

/// Marks by R1, and R3 where the template allows moved blocks.
pub(super) fn mark_exact(template: &TreeTemplate, page: &Page, budget: u64) -> Marks {
    let (delete, insert, replace) = template.stored.costs;
    let costs = Costs::new(delete, insert, replace).unwrap_or(Costs::COMMON_PART);
    let mut mapper = Mapper::new(costs, budget);
    mark(template, page, |tree, _, page_tree, found| {
        for run in mapper.map(tree, page_tree).runs {
            found(run);
        }
    })
}

fn mark(
    template: &TreeTemplate,
    page: &Page,
    mut map: impl FnMut(&Tree, &Index, &Tree, &mut dyn FnMut(Run)),
) -> Marks {
    let mut marks = Marks::with_threshold(page, template.threshold());
    if page.flags().contains(&Flag::TooLarge) {
        // Such a page was parsed without a tree: there is nothing to compare.
        return marks;
    }
    let page_tree = Tree::of_page(page, template.label_profile(), &template.numbers);
    let mut first = 0;
    let mut best_match: f32 = 0.0;
    for ((tree, index), stored) in template.trees.iter().zip(template.trees()) {
        let nodes = &stored.nodes;
        let weight = |pages: u32| u64::from(pages).pow(2);
        let all: u64 = nodes.iter().map(|node| weight(node.pages)).sum();
        let mut here = 0;
        map(tree, index, &page_tree, &mut |run: Run| {
            for offset in 0..run.nodes {
                let number = run.first + offset;
                let pages = nodes[number as usize].pages;
                here += weight(pages);
                raise(&mut marks, run.second + offset, stored.share(pages), first + number);
            }
        });
        best_match = best_match.max(here as f32 / all.max(1) as f32);
        first += tree.len();
    }
    mark_moved(template, &page_tree, &mut marks);
    marks.set_template_match(if template.trees.is_empty() { 1.0 } else { best_match });
    marks
}

/// R3: marks subtrees that are in another place than in the template.
fn mark_moved(template: &TreeTemplate, page: &Tree, marks: &mut Marks) {
    if template.movable.is_empty() {
        return;
    }
    let trees = template.trees().iter();
    let shares: Vec<f32> =
        trees.flat_map(|tree| tree.nodes.iter().map(|node| tree.share(node.pages))).collect();
    let mut id = 0;
    while id < page.len() {
        let found = template.movable.binary_search_by_key(&page.class(id), |&(class, _)| class);
        let Ok(found) = found else {
            id += 1;
            continue;
        };
        let (_, number) = template.movable[found];
        for offset in 0..page.size(id) {
            let source = number + offset;
            // In a damaged file a subtree may extend beyond its tree.
            let Some(&share) = shares.get(source as usize) else { break };
            raise(marks, id + offset, share, source);
        }
        id += page.size(id);
    }
}

/// Sets the value of a node unless it already has a higher one.
fn raise(marks: &mut Marks, id: u32, value: f32, source: u32) {
    let id = NodeId::new(id);
    if value > marks.value(id) {
        marks.set(id, value, Some(Source::Part(source)));
    }
}
