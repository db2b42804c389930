"""Removes the boilerplate that the pages of a web site share: menus, banners, footers, sidebars.

It learns the template of a site from a sample of its pages and strips it from all of them, which
leaves what is unique to each page.

>>> import unmold
>>> def page(topic):
...     return f'''<title>{topic}</title>
...         <ul><li><a href="/">Home</a></li> <li><a href="/shop">Shop</a></li>
...         <li><a href="/recipes">Recipes</a></li> <li><a href="/about">About us</a></li></ul>
...         <h1>{topic}</h1>
...         <p>{topic} is made early in the morning, long before the first guests come.</p>
...         <div>Copyright, all rights reserved. <a href="/imprint">Imprint</a></div>'''
>>> template = unmold.learn([page("Tea"), page("Cake"), page("Jam"), page("Bread")])
>>> print(template.strip(page("Milk")).text)
Milk
Milk is made early in the morning, long before the first guests come.

Start with `clean` for pages in memory, `clean_batches` for tables (pyarrow, pandas, polars),
`unmold.spark` for clusters and `unmold.datatrove` for corpus pipelines. All give the records that
the command `unmold clean` writes.
"""

from unmold import teach
from unmold.api import (
    METHODS,
    RECORD_FIELDS,
    CleanPage,
    Page,
    PageLike,
    Section,
    Settings,
    Store,
    StoredVersion,
    Template,
    Templates,
    Verdict,
    clean,
    cluster,
    learn,
    learn_sites,
    sections,
)
from unmold.batches import clean_batches, learn_batches, read_batches
from unmold.tables import Records, Tables, records, records_batches

__all__ = [
    "METHODS",
    "RECORD_FIELDS",
    "CleanPage",
    "Page",
    "PageLike",
    "Records",
    "Section",
    "Settings",
    "Store",
    "StoredVersion",
    "Tables",
    "Template",
    "Templates",
    "Verdict",
    "clean",
    "clean_batches",
    "cluster",
    "learn",
    "learn_batches",
    "learn_sites",
    "read_batches",
    "records",
    "records_batches",
    "sections",
    "teach",
]
