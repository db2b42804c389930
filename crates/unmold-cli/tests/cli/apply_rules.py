"""Applies exported rules with lxml: CSS and XPath must select the same, and what is left must be nearly all content.

    venv/bin/python apply_rules.py RULES.jsonl FOLDER   (FOLDER/SITE/pages/**.html)
"""

import json
import pathlib
import re
import sys

import lxml.cssselect
import lxml.html


def words(tree):
    for hidden in tree.xpath("//script | //style | //template | //noscript"):
        hidden.drop_tree()
    # Text by text, as the borders of elements are borders of words.
    return sum(len(re.findall(r"\w+", text)) for text in tree.xpath("//body//text()"))


def main(rules, folder):
    for line in open(rules, encoding="utf-8"):
        site = json.loads(line)
        before = after = 0
        for path in sorted(pathlib.Path(folder, site["site"], "pages").rglob("*.html")):
            tree = lxml.html.fromstring(path.read_bytes())
            before += words(tree)
            for rule in site["rules"]:
                by_xpath = tree.xpath(rule["xpath"])
                by_css = lxml.cssselect.CSSSelector(rule["css"])(tree)
                assert by_xpath == by_css, (site["site"], rule)
                for element in by_xpath:
                    if element.getparent() is not None:
                        element.drop_tree()
            after += words(tree)
        taken, promised = before - after, site["template_taken"] + site["content_taken"]
        # Words are counted a little differently: lxml knows neither `hidden` nor entities in attributes.
        assert abs(taken - promised) <= 0.05 * before, (site["site"], taken, promised, before)
        print(site["site"], taken, "words taken,", promised, "promised, of", before)


main(*sys.argv[1:])
