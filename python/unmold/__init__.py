"""Takes web pages out of their moulds: learns the template that the pages of a site share (menus, banners, footers)
and strips it, leaving what is unique to each page.

>>> import unmold
>>> site = [f"<nav>Home Shop Contact</nav><p>All about {word}, and how it is made.</p><footer>Imprint</footer>"
...         for word in ("tea", "cake", "jam", "bread")]
>>> template = unmold.learn(site, method="chunk-frequency")
>>> template.strip(site[0]).text
'All about tea, and how it is made.'

Start with `clean` for pages in memory, `clean_batches` for tables (pyarrow, pandas, polars), `unmold.spark` for
clusters and `unmold.datatrove` for corpus pipelines. All give the rows that the command `unmold clean` gives.
"""

from unmold.api import (
    CleanPage,
    Mark,
    Page,
    PageLike,
    Section,
    Settings,
    StoredVersion,
    Store,
    Template,
    Templates,
    clean,
    cluster,
    learn,
    learn_sites,
    sections,
)
from unmold.batches import clean_batches, learn_batches, read_batches

__all__ = [
    "CleanPage",
    "Mark",
    "Page",
    "PageLike",
    "Section",
    "Settings",
    "Store",
    "StoredVersion",
    "Template",
    "Templates",
    "clean",
    "clean_batches",
    "cluster",
    "learn",
    "learn_batches",
    "learn_sites",
    "read_batches",
    "sections",
]
