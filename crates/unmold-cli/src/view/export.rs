//! Writes a static report: the views as files that need no server.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::layout::Links;
use super::policy;
use super::resources::{Embedded, Place};
use super::state::{Viewer, spread};
use super::surveyor;
use crate::output::Sink;

/// Writes the report to a new folder, with at most `pages` pages of each template. Returns the
/// number of pages.
pub fn write(viewer: &mut Viewer, folder: &Path, pages: usize) -> Result<usize> {
    if folder.exists() && !folder.read_dir().is_ok_and(|mut entries| entries.next().is_none()) {
        bail!("{} already exists: remove it, or choose another folder", folder.display());
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    surveyor::run_to_end(viewer);
    viewer.exported = chosen(viewer, pages);
    let links = Links { exported: true };
    let put = |name: &str, text: String| -> Result<()> {
        let mut sink = Sink::create(Some(&folder.join(name)))?;
        sink.write(text.as_bytes())?;
        sink.finish()
    };
    put("index.html", viewer.home(links, 0)?)?;
    for site in 0..viewer.catalog.sites().len() {
        put(&links.to("site", site), viewer.site_page(links, site as u32)?)?;
    }
    for template in 0..viewer.templates().kinds().count() {
        put(&links.to("template", template), viewer.template_page(links, template, None)?)?;
        if viewer.templates().kinds().nth(template).is_some_and(|kind| kind.records().is_some()) {
            put(&links.to("records", template), viewer.records_page(links, template, false)?)?;
        }
    }
    for &page in &viewer.exported {
        put(&links.to("page", page), viewer.page_page(links, page, None)?)?;
        put(&links.to("sections", page), viewer.sections_page(links, page)?)?;
        let resources = Embedded { place: Place::of(&viewer.catalog, viewer.entry(page)?) };
        let policy = policy::of_exported_frame();
        put(&links.to("frame", page), viewer.frame(page, None, &resources, Some(&policy))?)?;
    }
    Ok(viewer.exported.len())
}

/// Picks some pages of each template of each site, spread over the input.
fn chosen(viewer: &Viewer, pages: usize) -> BTreeSet<u32> {
    let mut chosen = BTreeSet::new();
    for site in viewer.catalog.sites() {
        let mut groups: std::collections::BTreeMap<Option<u32>, Vec<u32>> =
            std::collections::BTreeMap::new();
        for (page, seen) in viewer.survey.of(&site.pages) {
            groups.entry(seen.and_then(|seen| seen.template)).or_default().push(page);
        }
        chosen.extend(groups.values().flat_map(|group| spread(group, pages)));
    }
    chosen
}
