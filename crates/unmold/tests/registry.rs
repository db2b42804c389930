//! A new method touches three places: its file, its line in `registry.rs`, its document. What
//! follows from the registry is checked here for every method there is.

#![allow(clippy::disallowed_methods)]

mod common;

use common::{fixture, repository};
use unmold::{CleanOptions, MethodName, Page, Settings, Template, learn};

fn pages(site: &str) -> Vec<Page> {
    fixture(site).into_iter().map(|(_, page)| page).collect()
}

fn learned(method: MethodName, pages: &[Page]) -> Template {
    learn(pages, &Settings::default().with_method(method)).expect("a fixture has enough pages")
}

#[test]
fn every_method_is_named_and_documented() {
    for &method in MethodName::ALL {
        assert_eq!(method.name().parse(), Ok(method));
        assert!(!method.summary().is_empty());
        let document = match method {
            MethodName::PageClusters => "clusters".to_owned(),
            method => method.name().to_owned(),
        };
        let path = repository().join(format!("docs/methods/{document}.md"));
        assert!(path.is_file(), "{} is missing", path.display());
    }
    let error = "magic".parse::<MethodName>().expect_err("no method").to_string();
    assert!(MethodName::ALL.iter().all(|method| error.contains(method.name())), "{error}");
}

#[test]
fn every_method_learns_cleans_explains_and_shows() {
    let pages = pages("wiki");
    for &method in MethodName::ALL {
        let template = learned(method, &pages);
        let kind = &template.kinds()[0];
        assert_eq!(kind.learned().method(), method);
        assert!(kind.learned().show().starts_with("learned from"), "{method}");
        assert!(!kind.learned().parts().is_empty(), "{method}");
        assert!(kind.learned().text().to_lowercase().contains("privacy policy"), "{method}");
        let clean = template.clean_with(&pages[0], &CleanOptions::default().with_explain(true));
        assert!(clean.content_share < 0.9, "{method} removes something");
        let explained = clean.explanation.expect("asked for");
        assert!(explained.iter().any(|block| !block.stays), "{method}");
        assert!(explained.iter().all(|block| !block.why.is_empty()), "{method}");
        let explanation = template.explain(&pages[0]);
        assert_eq!(explanation.marks, template.mark(&pages[0]), "{method}: one pass, one verdict");
        assert!(pages[0].visible_texts().all(|id| explanation.why(id).is_some()), "{method}");
    }
}

#[test]
fn every_method_survives_its_file() {
    let pages = pages("shop");
    for &method in MethodName::ALL {
        let template = learned(method, &pages);
        let json = template.to_json();
        assert!(json.contains(&format!("\"method\": \"{method}\"")));
        assert_eq!(Template::from_json(json.as_bytes()).expect("our own file"), template);
    }
}

#[test]
fn papers_settings_are_settings() {
    let pages = pages("gazette");
    for &method in MethodName::ALL {
        let ours = Settings::default().with_method(method).with_cluster(Some(false));
        let paper = ours.clone().with_paper(true);
        let same = learn(&pages, &ours).ok() == learn(&pages, &paper).ok();
        assert_eq!(same, !method.has_paper(), "{method}");
    }
}

#[test]
fn public_types_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Page>();
    shared::<Settings>();
    shared::<Template>();
    shared::<unmold::TemplateSet>();
    shared::<unmold::KindTemplate>();
    shared::<unmold::Marks>();
    shared::<unmold::Explanation>();
    shared::<unmold::Record>();
    shared::<unmold::Stripped<'static>>();
    shared::<unmold::LearnError>();
    shared::<unmold::template::ReadError>();
}
