//! Our learners against those of scikit-learn, on the same texts.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use unmold::metrics::Contingency;
use unmold_lab::chance::Chance;
use unmold_lab::clustering::{draw_centres, k_means};
use unmold_lab::naive_bayes::NaiveBayes;
use unmold_lab::terms::TermCounts;

const SCRIPT: &str = r#"
import json, sys
import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import homogeneity_score, mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.naive_bayes import MultinomialNB

asked = json.load(sys.stdin)
texts, classes, training = asked["texts"], np.array(asked["classes"]), asked["training"]
counts = CountVectorizer(token_pattern=r"\w+").fit_transform(texts)
weights = TfidfTransformer().fit_transform(counts)
first = weights[asked["centres"]].toarray()
k_means = KMeans(n_clusters=len(first), init=first, n_init=1, tol=0, algorithm="lloyd")
clusters = k_means.fit_predict(weights)
known = CountVectorizer(token_pattern=r"\w+").fit([texts[i] for i in training])
model = MultinomialNB().fit(known.transform([texts[i] for i in training]), classes[training])
json.dump({
    "first": weights[0].data.tolist() and sorted(weights[0].data.tolist()),
    "clusters": clusters.tolist(),
    "classified": model.predict(known.transform(texts)).tolist(),
    "purity": float(contingency_matrix(clusters, classes).max(axis=1).sum() / len(classes)),
    "mutual_information": float(mutual_info_score(clusters, classes)),
    # The entropy of classes in clusters, in units of the entropy of the classes.
    "homogeneity": float(homogeneity_score(classes, clusters)),
}, sys.stdout)
"#;

fn ask(question: &Value) -> Value {
    let python =
        std::env::var("UNMOLD_PYTHON").expect("UNMOLD_PYTHON names a Python with scikit-learn");
    let mut child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(question.to_string().as_bytes())
        .expect("Python listens");
    let answer = child.wait_with_output().expect("Python ends");
    assert!(answer.status.success(), "the script failed");
    serde_json::from_slice(&answer.stdout).expect("JSON")
}

/// Texts of three topics with common words among them.
fn texts() -> (Vec<String>, Vec<usize>) {
    let topics = [
        "tea cup leaf pot kettle steep",
        "gear oil wheel motor belt brake",
        "cloud rain wind storm hail sun",
    ];
    let mut chance = Chance::new(3);
    let mut texts = Vec::new();
    let mut classes = Vec::new();
    for page in 0..90 {
        let class = page % topics.len();
        let own: Vec<&str> = topics[class].split(' ').collect();
        let all: Vec<&str> = topics.iter().flat_map(|topic| topic.split(' ')).collect();
        let mut words = Vec::new();
        for _ in 0..7 {
            let from = if chance.below(3) < 2 { &all } else { &own };
            words.push(from[chance.below(from.len())].to_owned());
        }
        words.push(format!("only{page}"));
        texts.push(words.join(" "));
        classes.push(class);
    }
    (texts, classes)
}

#[test]
fn needs_python_the_same_as_scikit_learn() {
    let (texts, classes) = texts();
    let counts = TermCounts::of(&texts);
    let weights = counts.tf_idf();
    let centres = draw_centres(texts.len(), 3, 5);
    let training: Vec<usize> = (0..45).collect();
    let answer =
        ask(&json!({"texts": texts, "classes": classes, "training": training, "centres": centres}));
    let numbers = |name: &str| -> Vec<f64> {
        answer[name]
            .as_array()
            .expect("a list")
            .iter()
            .map(|value| value.as_f64().expect("a number"))
            .collect()
    };
    let as_usize = |name: &str| -> Vec<usize> {
        numbers(name).into_iter().map(|value| value as usize).collect()
    };
    let number = |name: &str| answer[name].as_f64().expect("a number");

    let mut first: Vec<f64> = weights[0].iter().map(|(_, weight)| *weight).collect();
    first.sort_by(f64::total_cmp);
    assert!(
        first.iter().zip(numbers("first")).all(|(ours, theirs)| (ours - theirs).abs() < 1e-9),
        "TF-IDF"
    );

    let clusters = k_means(&weights, counts.terms, &centres);
    assert_eq!(clusters, as_usize("clusters"), "K-means");

    let model = NaiveBayes::learn(
        training.iter().map(|&page| (&counts.texts[page], classes[page])),
        3,
        counts.terms,
    );
    let classified: Vec<usize> = counts.texts.iter().map(|text| model.classify(text)).collect();
    assert_eq!(classified, as_usize("classified"), "Naive Bayes");
    assert!(classified != classes, "the task is hard enough to tell models apart");

    let table = Contingency::of(clusters.iter().copied().zip(classes.iter().copied()));
    assert!((table.purity() - number("purity")).abs() < 1e-9);
    let ours = table.nmi_by_numbers();
    assert!((ours - 2.0 * number("mutual_information") / 9f64.ln()).abs() < 1e-9);
    // Classes of equal size have entropy log 3, so homogeneity is NCE.
    assert!((table.nce() - number("homogeneity")).abs() < 1e-9);
}
