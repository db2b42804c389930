//! What a page says about itself: author, dates, language and so on.
//!
//! Sources, best first: JSON-LD, Open Graph, `meta` elements, microdata, `<time>`, and the places
//! at which the pages of the site show their author and date. Each field takes the first source
//! that has it.

mod date;
mod linked_data;
mod places;
mod title;

pub use places::MetadataPlaces;

use serde::Serialize;
use url::Url;

use crate::page::{NodeId, Page, Tag};

/// What a page says about itself. Fields are added, never renamed.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
#[non_exhaustive]
pub struct Metadata {
    /// Its title, without the name of the site.
    pub title: Option<String>,
    /// Who wrote it; several authors are separated by commas.
    pub author: Option<String>,
    /// When it was published: an ISO date, with the time if the page names it.
    pub published: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// The name of the site as readers know it.
    pub site_name: Option<String>,
    /// A summary.
    pub description: Option<String>,
    /// The language that the page declares, such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// The language of its clean text, such as `en`; null if the text is short or mixed.
    pub detected_language: Option<String>,
    /// Its address according to itself.
    pub canonical: Option<String>,
    /// The address of the picture that stands for it.
    pub image: Option<String>,
    /// Sections, keywords and tags that it is filed under.
    pub categories: Vec<String>,
}

/// More categories than this are a list of search terms.
const MAX_CATEGORIES: usize = 32;

impl Metadata {
    /// Reads what the page says about itself.
    #[must_use]
    pub fn of(page: &Page) -> Metadata {
        Metadata::with_places(page, None)
    }

    /// Reads what the page says about itself, given what its site showed elsewhere.
    #[must_use]
    pub fn with_places(page: &Page, places: Option<&MetadataPlaces>) -> Metadata {
        let mut found = linked_data::read(page.linked_data());
        let metas = Metas::of(page);
        let meta = |names: &[&str]| metas.first(names);
        found.author = found.author.or_else(|| {
            let names =
                ["author", "article:author", "dc.creator", "dcterms.creator", "sailthru.author"];
            let named = metas.all(&names).into_iter().find(|name| !is_address(name));
            named.or_else(|| by_property(page, "author", text_of))
        });
        found.author = found.author.or_else(|| {
            let link = body_elements(page)
                .find(|&id| page.tag(id) == Tag::A && page.attribute(id, "rel") == Some("author"));
            link.and_then(|id| text_of(page, id))
        });
        found.published = found.published.or_else(|| {
            first_date(
                &metas,
                &[
                    "article:published_time",
                    "datepublished",
                    "dc.date",
                    "dcterms.created",
                    "dc.date.issued",
                    "date",
                    "pubdate",
                    "publish-date",
                ],
            )
        });
        found.modified = found.modified.or_else(|| {
            first_date(
                &metas,
                &[
                    "article:modified_time",
                    "og:updated_time",
                    "dcterms.modified",
                    "last-modified",
                    "datemodified",
                ],
            )
        });
        found.published = found.published.or_else(|| by_property(page, "datePublished", date_of));
        found.modified = found.modified.or_else(|| by_property(page, "dateModified", date_of));
        let shown = shown_time(page);
        found.published = found.published.or(shown.published);
        found.modified = found.modified.or(shown.modified);
        found.site_name = found.site_name.or_else(|| meta(&["og:site_name", "application-name"]));
        found.description = meta(&["og:description", "description", "dc.description"])
            .or(found.description)
            .or_else(|| meta(&["twitter:description"]));
        found.language = declared_language(page)
            .or(found.language)
            .or_else(|| meta(&["content-language", "dc.language", "og:locale"]))
            .map(|language| language.replace('_', "-"));
        let base = page.url().and_then(|url| Url::parse(url).ok());
        let whole = |address: String| whole_address(&address, base.as_ref());
        found.canonical = link(page, "canonical").or_else(|| meta(&["og:url"])).and_then(whole);
        found.image = meta(&["og:image", "og:image:url", "twitter:image"])
            .or(found.image)
            .or_else(|| link(page, "image_src"))
            .and_then(whole);
        found.categories.extend(metas.all(&["article:section", "article:tag"]));
        if found.categories.is_empty() {
            let keywords = meta(&["keywords", "news_keywords"]).unwrap_or_default();
            found.categories = keywords.split(',').filter_map(clean).collect();
        }
        found.categories = distinct(found.categories);
        let declared =
            found.title.take().or_else(|| meta(&["og:title", "twitter:title", "dc.title"]));
        let affixes = places.map_or(&[][..], |places| &places.title_affixes[..]);
        found.title = title::find(page, declared, found.site_name.as_deref(), affixes);
        found.site_name = found.site_name.or_else(|| title::site_name(affixes));
        if let Some(places) = places {
            places.fill(page, &mut found);
        }
        found
    }
}

/// The names and contents of the `meta` elements.
struct Metas<'a>(Vec<(String, &'a str)>);

impl<'a> Metas<'a> {
    fn of(page: &'a Page) -> Metas<'a> {
        let meta = |id: NodeId| {
            let names = ["property", "name", "itemprop", "http-equiv"];
            let name = names.iter().find_map(|name| page.attribute(id, name))?;
            let content = page.attribute(id, "content")?;
            Some((name.trim().to_ascii_lowercase(), content))
        };
        Metas(page.nodes().filter(|&id| page.tag(id) == Tag::META).filter_map(meta).collect())
    }

    /// The first value of the first of these names that has one.
    fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|&name| self.named(name).next())
    }

    fn all(&self, names: &[&str]) -> Vec<String> {
        names.iter().flat_map(|&name| self.named(name)).collect()
    }

    fn named(&self, name: &str) -> impl Iterator<Item = String> {
        self.0.iter().filter(move |(own, _)| own == name).filter_map(|(_, content)| clean(content))
    }
}

fn first_date(metas: &Metas, names: &[&str]) -> Option<String> {
    names.iter().find_map(|&name| metas.named(name).find_map(|text| date::iso(&text)))
}

/// Elements of the body that are not in a menu, a sidebar or a footer.
fn body_elements(page: &Page) -> impl Iterator<Item = NodeId> + '_ {
    let mut outside = NodeId::ROOT;
    page.body().filter(move |&id| {
        if id >= outside && matches!(page.tag(id), Tag::NAV | Tag::ASIDE | Tag::FOOTER) {
            outside = page.subtree(id).end;
        }
        id >= outside && !page.is_text(id)
    })
}

/// The value of the first element with this `itemprop`.
fn by_property(
    page: &Page,
    property: &str,
    value: impl Fn(&Page, NodeId) -> Option<String>,
) -> Option<String> {
    let has_property = |id: &NodeId| {
        let own = page.attribute(*id, "itemprop").unwrap_or("");
        own.split_whitespace().any(|own| own == property)
    };
    body_elements(page).filter(has_property).find_map(|id| value(page, id))
}

/// The text of an element, of the `name` inside it, or of its attribute.
fn text_of(page: &Page, id: NodeId) -> Option<String> {
    if let Some(content) = page.attribute(id, "content") {
        return clean(content);
    }
    let name = page.subtree(id).find(|&id| page.attribute(id, "itemprop") == Some("name"));
    let inner = name.unwrap_or(id);
    match page.attribute(inner, "content") {
        Some(content) => clean(content),
        None => clean(&page.joined_text(page.subtree(inner))),
    }
    .filter(|text| text.len() <= MAX_NAME)
}

/// Longer texts are no names.
const MAX_NAME: usize = 100;

fn date_of(page: &Page, id: NodeId) -> Option<String> {
    let attributes = ["datetime", "content", "title"];
    let named = attributes.iter().find_map(|name| date::iso(page.attribute(id, name)?));
    named.or_else(|| date::iso(&page.joined_text(page.subtree(id))))
}

/// What the first `<time>` elements of the article say.
#[derive(Default)]
struct ShownTime {
    published: Option<String>,
    modified: Option<String>,
}

fn shown_time(page: &Page) -> ShownTime {
    let times = || body_elements(page).filter(|&id| page.tag(id) == Tag::TIME);
    let (changed, first): (Vec<NodeId>, Vec<NodeId>) =
        times().partition(|&id| places::follows_change(page, id));
    let date = |ids: &[NodeId]| {
        ids.iter().find_map(|&id| Some((id, date_of(page, id)?))).filter(|(id, date)| {
            let place = places::place_of(page, *id);
            let is_other = |other: &&NodeId| {
                places::place_of(page, **other) == place
                    && date_of(page, **other).is_some_and(|other| other != *date)
            };
            !is_listed(page, *id) || !ids.iter().any(|other| is_other(&other))
        })
    };
    ShownTime {
        published: date(&first).map(|(_, date)| date),
        modified: date(&changed).map(|(_, date)| date),
    }
}

/// Whether the element stands beside a heading that is a link, as in a list of articles.
fn is_listed(page: &Page, id: NodeId) -> bool {
    let is_heading = |id: NodeId| matches!(page.tag(id), Tag::H2 | Tag::H3 | Tag::H4);
    let is_link = |id: NodeId| page.subtree(id).take(4).any(|id| page.tag(id) == Tag::A);
    page.ancestors(id).take(3).any(|around| {
        page.children(around).take(8).any(|child| is_heading(child) && is_link(child))
    })
}

fn declared_language(page: &Page) -> Option<String> {
    let html = page.nodes().find(|&id| page.tag(id) == Tag::HTML)?;
    clean(page.attribute(html, "lang").or_else(|| page.attribute(html, "xml:lang"))?)
}

fn link(page: &Page, rel: &str) -> Option<String> {
    let is_link = |id: &NodeId| {
        page.tag(*id) == Tag::LINK
            && page.attribute(*id, "rel").is_some_and(|own| own.eq_ignore_ascii_case(rel))
    };
    page.nodes().filter(is_link).find_map(|id| clean(page.attribute(id, "href")?))
}

/// A whole web address; `None` if it cannot be told.
fn whole_address(address: &str, base: Option<&Url>) -> Option<String> {
    let url = match base {
        Some(base) => base.join(address).ok()?,
        None => Url::parse(address).ok()?,
    };
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

fn is_address(text: &str) -> bool {
    text.contains("://") || text.starts_with("www.")
}

/// The text with single spaces; `None` if there is none.
fn clean(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

fn distinct(categories: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for category in categories {
        if !kept.contains(&category) && kept.len() < MAX_CATEGORIES {
            kept.push(category);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseOptions;

    fn metadata(html: &str) -> Metadata {
        let options = ParseOptions::default().with_url("http://tea.example/a/b".to_owned());
        Metadata::of(&Page::parse_with(html.as_bytes(), &options))
    }

    #[test]
    fn linked_data_comes_first() {
        let found = metadata(
            r#"<html lang=en-GB><script type="application/ld+json">{"@graph": [
                {"@type": "WebSite", "name": "Tea Times"},
                {"@type": ["NewsArticle"], "author": [{"name": "Ann Lee"}, "Bo Ek"],
                 "headline": "All about tea", "datePublished": "2024-03-05T08:00:00Z", "dateModified": "2024-03-06",
                 "articleSection": "Green", "keywords": "tea, leaves",
                 "image": {"url": "/tea.png"}, "publisher": {"name": "Tea Publishing"}}]}
            </script><meta name=author content="Somebody Else"><p>Text"#,
        );
        assert_eq!(found.title.as_deref(), Some("All about tea"));
        assert_eq!(found.author.as_deref(), Some("Ann Lee, Bo Ek"));
        assert_eq!(found.published.as_deref(), Some("2024-03-05T08:00:00Z"));
        assert_eq!(found.modified.as_deref(), Some("2024-03-06"));
        assert_eq!(found.site_name.as_deref(), Some("Tea Times"));
        assert_eq!(found.language.as_deref(), Some("en-GB"));
        assert_eq!(found.image.as_deref(), Some("http://tea.example/tea.png"));
        assert_eq!(found.categories, ["Green", "tea", "leaves"]);
    }

    #[test]
    fn open_graph_and_meta() {
        let found = metadata(
            "<meta property=og:site_name content='Tea  Times'><meta property=og:locale content=de_AT>\
             <meta property=article:author content=https://x.example/ann><meta name=dc.creator content=Ann>\
             <meta property=article:published_time content='2024-03-05T08:00:00+01:00'>\
             <meta name=description content='On tea'><link rel=canonical href=/tea>\
             <meta name=keywords content='tea, , leaf,tea'><meta property=og:image content=i.png>",
        );
        assert_eq!(
            found,
            Metadata {
                title: None,
                author: Some("Ann".to_owned()),
                published: Some("2024-03-05T08:00:00+01:00".to_owned()),
                modified: None,
                site_name: Some("Tea Times".to_owned()),
                description: Some("On tea".to_owned()),
                language: Some("de-AT".to_owned()),
                detected_language: None,
                canonical: Some("http://tea.example/tea".to_owned()),
                image: Some("http://tea.example/a/i.png".to_owned()),
                categories: vec!["tea".to_owned(), "leaf".to_owned()],
            }
        );
    }

    #[test]
    fn microdata_and_time() {
        let found = metadata(
            "<aside><time datetime=1999-01-01>old</time></aside>\
             <p>By <span itemprop=author itemscope><b itemprop=name>Ann Lee</b>, editor</span>\
             <time itemprop=datePublished datetime='2024-03-05 08:00'>Tuesday</time>",
        );
        assert_eq!(found.author.as_deref(), Some("Ann Lee"));
        assert_eq!(found.published.as_deref(), Some("2024-03-05T08:00"));
        let found = metadata("<p><a rel=author href=/ann>Ann</a> <time>5 March 2024</time>");
        assert_eq!(found.author.as_deref(), Some("Ann"));
        assert_eq!(found.published.as_deref(), Some("2024-03-05"));
    }

    #[test]
    fn dates_of_changes_and_of_lists_are_not_those_of_publication() {
        let found = metadata("<p>Last updated <time>5 March 2024</time>");
        assert_eq!((found.published, found.modified.as_deref()), (None, Some("2024-03-05")));
        let found = metadata("<p><time>4 March 2024</time>, updated <time>5 March 2024</time>");
        assert_eq!(found.published.as_deref(), Some("2024-03-04"));
        assert_eq!(found.modified.as_deref(), Some("2024-03-05"));
        let item =
            |day: u32| format!("<li><h2><a href=/{day}>T</a></h2><time>{day} May 2024</time>");
        assert_eq!(metadata(&format!("<ul>{}{}", item(3), item(2))).published, None);
        assert_eq!(metadata(&item(3)).published.as_deref(), Some("2024-05-03"));
    }

    #[test]
    fn nothing_is_invented() {
        assert_eq!(metadata("<p>All about tea."), Metadata::default());
        assert_eq!(
            metadata("<script type=application/ld+json>{broken</script>"),
            Metadata::default()
        );
        let odd = "<meta name=date content=yesterday><meta property=og:url content=javascript:x>";
        assert_eq!(metadata(odd), Metadata::default());
    }
}
