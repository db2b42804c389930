//! What the rest of the program asks of a template of the default method.

use super::model::Model;
use super::template::{AutoTemplate, TemplateText};
use crate::marks::Marks;
use crate::methods::{Explanation, LearnedTemplate, OtherModel, Part};
use crate::page::{Page, comparison_form, words};

impl LearnedTemplate for AutoTemplate {
    fn mark(&self, page: &Page) -> Marks {
        self.mark_with(page, Model::shipped())
    }

    fn pages(&self) -> u32 {
        self.sample_pages()
    }

    fn parts(&self) -> Vec<Part> {
        let part = |(number, text): (u32, &TemplateText)| {
            Part::new(Some(number), text.text.clone(), text.pages, self.pages())
        };
        (0..).zip(self.texts()).map(part).collect()
    }

    fn describe(&self, part: u32) -> Option<String> {
        let TemplateText { pages, text } = self.texts().get(part as usize)?;
        Some(format!("text on {pages} of {} pages: {text}", self.pages()))
    }

    fn text(&self) -> String {
        self.texts().iter().map(|part| format!("{}\n", part.text)).collect()
    }

    fn show(&self) -> String {
        let (pages, known) = (self.pages(), self.known());
        let mut out =
            format!("learned from {pages} pages, {known} texts, places and slots known\n");
        if let Some(taught) = self.taught() {
            let ids: Vec<&str> = taught.pages().iter().map(|page| page.id.as_str()).collect();
            out.push_str(&format!("labelled on {} pages: {}\n", ids.len(), ids.join(", ")));
        }
        self.parts().iter().for_each(|part| out.push_str(&part.line()));
        out
    }

    fn explain(&self, page: &Page) -> Explanation {
        self.explain_with(page, Model::shipped())
    }

    /// Counts what is there without judging it: a sampled page is judged twice while learning, once
    /// for what it shows itself and once with what the others show, and not a third time for this.
    fn template_match(&self, page: &Page) -> f32 {
        self.share_found(page)
    }

    /// Marks hold numbers of pages, not of parts: look for the words.
    fn has_part(&self, page: &Page, _marks: &Marks, part: &Part) -> bool {
        let key = |text: &str| {
            let text = comparison_form(text).into_owned();
            format!(" {} ", words(&text).collect::<Vec<_>>().join(" "))
        };
        key(&page.joined_text(page.body())).contains(&key(&part.label))
    }

    fn check_model(&self) -> Result<(), OtherModel> {
        let ours = Model::shipped().id();
        if self.model() == ours {
            return Ok(());
        }
        let found = if self.model().is_empty() { "unknown" } else { self.model() };
        Err(OtherModel { found: found.to_owned(), ours: ours.to_owned() })
    }
}
