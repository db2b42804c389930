#!/usr/bin/env python3
"""Fits the weights of teaching: how much each thing that labels say about a block counts.

    tools/teach/fit.py ROWS.bin

ROWS.bin is written by the example `teach_rows` of unmold-lab. Prints the
constants of crates/unmold/src/teach/weights.rs, and content F1 by blocks with and without labels. A
logistic regression on parts 0 to 3; part 4 is only reported on. Needs numpy.
"""
import sys

import numpy

HEAD = ["fold", "set", "teacher", "n", "page", "label", "words"]
NAMES = ["path", "slot", "placed", "text", "kind", "segment", "position", "heading", "pages",
         "similarity", "default"]


def read(path):
    width = len(HEAD) + len(NAMES)
    return numpy.fromfile(path, dtype="<f4").reshape(-1, width)


def log_odds(p):
    p = numpy.clip(p, 0.0025, 0.9975)
    return numpy.log(p / (1 - p))


def features(rows):
    x = rows[:, len(HEAD):].astype(float)
    x[:, -1] = log_odds(x[:, -1])
    return x


def weights(rows):
    """Every page counts the same, its blocks by their words."""
    keys, inverse = pages(rows)
    words = numpy.clip(rows[:, 6], 1, 30)
    return words / numpy.bincount(inverse, words)[inverse]


def pages(rows):
    # A page is a run of rows with the same head.
    head = rows[:, :5]
    change = numpy.any(head[1:] != head[:-1], axis=1)
    inverse = numpy.concatenate([[0], numpy.cumsum(change)])
    return inverse[-1] + 1, inverse


def fit(x, y, w, penalty=1e-4):
    x = numpy.hstack([x, numpy.ones((len(x), 1))])
    beta = numpy.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + numpy.exp(-x @ beta))
        gradient = x.T @ (w * (p - y)) / w.sum() + penalty * beta
        hessian = (x * (w * p * (1 - p))[:, None]).T @ x / w.sum() + penalty * numpy.eye(len(beta))
        step = numpy.linalg.solve(hessian, gradient)
        beta -= step
        if numpy.abs(step).max() < 1e-6:
            break
    return beta


def f1(p, y, words, inverse):
    """Mean content F1 of pages, each cut where the expected F1 is greatest."""
    number = inverse[-1] + 1
    w = numpy.maximum(words, 0.5)
    expected = numpy.bincount(inverse, p * w)
    threshold = numpy.full(number, 0.5)
    for _ in range(16):
        keep = p >= threshold[inverse]
        kept = numpy.bincount(inverse, keep * w, number)
        right = numpy.bincount(inverse, keep * p * w, number)
        threshold = numpy.where(kept + expected > 0, right / numpy.maximum(kept + expected, 1e-9), .5)
    keep = p >= threshold[inverse]
    both = numpy.bincount(inverse, keep * (y >= 0.5) * words, number)
    all_ = numpy.bincount(inverse, keep * words, number) + numpy.bincount(
        inverse, (y >= 0.5) * words, number)
    return 2 * both / numpy.maximum(all_, 1e-9)


def main():
    rows = read(sys.argv[1])
    x, y = features(rows), rows[:, 5]
    number, inverse = pages(rows)
    w = weights(rows) * numpy.where(rows[:, 2] == 2, 0.0, 1.0)
    chosen = rows[:, 0] != 4
    beta = fit(x[chosen], y[chosen], w[chosen])
    for name, value in zip(NAMES + ["bias"], beta):
        print(f"{name:12} {value:7.3f}")
    p = 1 / (1 + numpy.exp(-(numpy.hstack([x, numpy.ones((len(x), 1))]) @ beta)))
    taught = f1(p, y, rows[:, 6], inverse)
    default = f1(rows[:, -1].astype(float), y, rows[:, 6], inverse)
    first = numpy.searchsorted(inverse, numpy.arange(number))
    head = rows[first]
    for part in (False, True):
        print("part 4" if part else "parts 0 to 3")
        for teacher in range(3):
            for n in sorted(set(head[:, 3])):
                rowsof = (head[:, 2] == teacher) & (head[:, 3] == n) & ((head[:, 0] == 4) == part)
                if rowsof.any():
                    sets = [f"{taught[rowsof & (head[:, 1] == s)].mean():.4f}"
                            f" ({default[rowsof & (head[:, 1] == s)].mean():.4f})"
                            for s in sorted(set(head[:, 1])) if (rowsof & (head[:, 1] == s)).any()]
                    print("teacher", teacher, "n", int(n), *sets)


if __name__ == "__main__":
    main()
