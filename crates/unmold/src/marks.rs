//! The one currency between methods and everything that reads their verdicts.

use crate::page::{NodeId, Page};

/// One value in `0.0..=1.0` per node of a page: 0 = content, 1 = template.
///
/// Methods write marks; strip, reports and evaluation read them. A node is judged template when its
/// value reaches the threshold, which comes with the template, so that nobody needs the method's
/// settings to decide.
#[derive(Clone, PartialEq, Debug)]
pub struct Marks {
    values: Vec<f32>,
    sources: Vec<Option<u32>>,
    threshold: f32,
    template_match: f32,
}

impl Marks {
    /// Marks that call every node of `page` content.
    pub fn none(page: &Page) -> Marks {
        let length = page.len() as usize;
        Marks {
            values: vec![0.0; length],
            sources: vec![None; length],
            threshold: 0.5,
            template_match: 0.0,
        }
    }

    /// Marks without any template yet, judged at `threshold`.
    pub fn with_threshold(page: &Page, threshold: f32) -> Marks {
        Marks { threshold, ..Marks::none(page) }
    }

    /// Sets the value of a node, and the part of the template that explains it.
    pub fn set(&mut self, id: NodeId, value: f32, source: Option<u32>) {
        self.values[id.index()] = value.clamp(0.0, 1.0);
        self.sources[id.index()] = source;
    }

    /// How sure it is that the node is template.
    pub fn value(&self, id: NodeId) -> f32 {
        self.values[id.index()]
    }

    /// Number of the part of the template that explains the node, as its method counts them.
    pub fn source(&self, id: NodeId) -> Option<u32> {
        self.sources[id.index()]
    }

    /// The value from which on a node is template.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Whether the node is judged template.
    pub fn is_template(&self, id: NodeId) -> bool {
        self.values[id.index()] >= self.threshold
    }

    /// The share of the template that was found on the page: near 1 the page fits, falling the site
    /// was redesigned.
    pub fn template_match(&self) -> f32 {
        self.template_match
    }

    /// Sets [`Marks::template_match`].
    pub fn set_template_match(&mut self, share: f32) {
        self.template_match = share.clamp(0.0, 1.0);
    }

    /// Moves a threshold that no value can reach, or that all reach, so that 1 is template and 0 is
    /// content.
    pub(crate) fn make_room_for_both(&mut self) {
        self.threshold = self.threshold.clamp(f32::MIN_POSITIVE, 1.0);
    }

    /// Gives every element the least value of the texts below it, for methods that judge texts
    /// only.
    ///
    /// An element without text stays content: nothing is known about it.
    pub fn lift_to_elements(&mut self, page: &Page) {
        let mut least: Vec<Option<f32>> = vec![None; page.len() as usize];
        for id in page.nodes().rev() {
            let index = id.index();
            if page.is_text(id) {
                least[index] = Some(self.values[index]);
            }
            let Some(value) = least[index] else { continue };
            self.values[index] = value;
            if let Some(parent) = page.parent(id) {
                let slot = &mut least[parent.index()];
                *slot = Some(slot.map_or(value, |known| known.min(value)));
            }
        }
        // A picture inside a menu belongs to the menu; one beside it does not.
        for id in page.nodes().skip(1) {
            if least[id.index()].is_none()
                && let Some(parent) = page.parent(id)
            {
                self.values[id.index()] = self.values[parent.index()];
            }
        }
    }
}
