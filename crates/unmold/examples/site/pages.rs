/// A page of a small invented site, for the documentation.
pub fn page(topic: &str) -> unmold::Page {
    let menu: String = ["Home", "Shop", "Recipes", "About us", "Contact"]
        .map(|entry| format!("<li><a href=\"/{entry}\">{entry}</a></li>"))
        .concat();
    let html = format!(
        "<title>{topic}</title><ul>{menu}</ul><h1>{topic}</h1><p>{topic} is made early in the \
         morning, long before the first guests come. It takes patience, a warm room and good \
         water.</p><div>Copyright, all rights reserved. <a href=\"/imprint\">Imprint</a></div>"
    );
    unmold::Page::parse(html.as_bytes(), &unmold::Limits::default())
}

/// What is left of the page about tea.
pub const ABOUT_TEA: &str = "Tea\nTea is made early in the morning, long before the first guests \
                             come. It takes patience, a warm room and good water.";
