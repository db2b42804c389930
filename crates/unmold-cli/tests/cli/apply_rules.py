"""Applies exported rules with lxml.

Checks that CSS and XPath select the same elements and that the rules remove as much as they claim.

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
    # Count each text separately: words end at element boundaries.
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
        taken, claimed = before - after, site["template_taken"] + site["content_taken"]
        # The word counts differ a little: lxml ignores `hidden` and entities in attributes.
        assert abs(taken - claimed) <= 0.05 * before, (site["site"], taken, claimed, before)
        print(site["site"], taken, "words removed,", claimed, "claimed, of", before)


main(*sys.argv[1:])
