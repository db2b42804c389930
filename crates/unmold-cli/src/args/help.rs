//! Examples and exit codes, shown below the flags of each command by `--help` and in its manual.

pub const UNMOLD: &str = "\
Examples:
  unmold clean site/ -o clean.jsonl  one record per page
  unmold clean page.html -o page.md  one page as Markdown
  unmold clean --help                all flags of a command

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const CLEAN: &str = "\
Examples:
  unmold clean crawl.warc.gz -o clean.jsonl  one record per page
  unmold clean site/ -f markdown -o out/     a folder of Markdown
  unmold clean page.html -o page.md          one page
  unmold clean site/ --keep article          only the main content
  curl -s $URL | unmold clean - -f text      from standard input

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const LEARN: &str = "\
Examples:
  unmold learn site/ -t site.json                the templates of a folder
  unmold learn crawl.warc.gz -t all.db           those of many sites, with history
  unmold learn crawl.warc.gz -t all.db --update  only what is new or redesigned
  unmold learn site/ -t site.json --labels labels.jsonl
                                                 with labels of a few pages

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const TEACH: &str = "\
Examples:
  unmold teach plan site/ -o plan.jsonl                 what to label
  unmold learn site/ -t site.json --labels labels.jsonl then learn from the labels

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const TEACH_PLAN: &str = "\
Examples:
  unmold teach plan crawl.warc.gz -o plan.jsonl --budget 50    the 50 pages that tell most
  unmold teach plan crawl.warc.gz -t all.db -o plan.jsonl      only what is new since

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const STRIP: &str = "\
Examples:
  unmold strip new.warc.gz -t all.db -o new.jsonl     later pages
  unmold strip page.html -t site.json -f text         one page
  unmold strip new/ -t site.json --drift drift.jsonl  do they still fit?

Exit codes:
  0  all pages are done
  1  some pages failed or have no template; they are listed
  2  the command could not run";

pub const CLUSTER: &str = "\
Examples:
  unmold cluster site/       a table of the layouts of a site
  unmold cluster site/ -o -  the cluster of each page, as JSONL

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const SHOW: &str = "\
Examples:
  unmold show page.html                         the tree of a page
  unmold show site.json                         what was learned
  unmold show page.html -t site.json --explain  why each text stays or goes

Exit codes:
  0  done
  2  the command could not run";

pub const TEMPLATES: &str = "\
Examples:
  unmold templates list all.db                            all sites
  unmold templates export all.db tea.example -o tea.json  one site

Exit codes:
  0  done
  1  some templates are damaged; they are listed
  2  the command could not run";

pub const EXPORT_RULES: &str = "\
Examples:
  unmold export-rules site/                        which selectors hold the template
  unmold export-rules site/ -f xpath -o rules.txt  one XPath per line

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const SECTIONS: &str = "\
Examples:
  unmold sections site/ -f tree                         an outline to read
  unmold sections site/ -t site.json -o sections.jsonl  one record per page

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const RECORDS: &str = "\
Examples:
  unmold records shop/ -o products.csv                    the 30 most likely columns
  unmold records shop/ -o p.csv --want 'price|msrp'       the column that words describe
  unmold records shop/ -o p.csv --example a.html sku=S-1  the column of a value
  unmold records crawl/ -o tables/                        tables/SITE/KIND.csv for each kind
  unmold records new/ -t shop.json -o new.csv             after `unmold learn --records`

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const COLUMNS: &str = "\
Examples:
  unmold columns shop.json                                 list the columns
  unmold columns shop.json --rename text_2=price --drop ad correct them
  unmold columns shop.json --type year=int --merge price=sale_price
  unmold columns shop.json --split size=width,height ' x '
  unmold columns shop.json --undo price                    as learned

Exit codes:
  0  done
  2  the command could not run";

pub const INDEX: &str = "\
Examples:
  unmold index crawl.warc.gz -o index/    build an index
  unmold search index/ lighthouse keeper  search it

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const SEARCH: &str = "\
Examples:
  unmold search index/ lighthouse keeper                            pages with any of the words
  unmold search index/ '+lighthouse -ship site:tea.example' --json  as JSON lines

Exit codes:
  0  pages were found
  1  no page was found
  2  the command could not run";

pub const EXPORT: &str = "\
Examples:
  unmold export crawl.warc.gz -o pages.ndjson  for the bulk API

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const VIEW: &str = "\
Examples:
  unmold view site/                   look at what would be removed
  unmold view site/ -t site.json      correct a template
  unmold view site/ --export report/  write a report

Exit codes:
  0  all pages are done
  1  some pages failed; they are listed
  2  the command could not run";

pub const COMPLETIONS: &str = "\
Examples:
  unmold completions bash > unmold.bash  for bash

Exit codes:
  0  done
  2  the command could not run";

pub const MAN: &str = "\
Examples:
  unmold man clean | man -l -  read one page
  unmold man -o man1/          write all pages

Exit codes:
  0  done
  2  the command could not run";

pub const TEMPLATES_LIST: &str = "\
Examples:
  unmold templates list all.db        newest versions
  unmold templates list all.db --all  all versions

Exit codes:
  0  done
  2  the command could not run";

pub const TEMPLATES_SHOW: &str = "\
Examples:
  unmold templates show all.db tea.example  the newest version

Exit codes:
  0  done
  2  the command could not run";

pub const TEMPLATES_EXPORT: &str = "\
Examples:
  unmold templates export all.db -o all.json  all sites
  unmold templates export all.db tea.example  one, to standard output

Exit codes:
  0  done
  1  some templates are damaged; they are listed
  2  the command could not run";

pub const TEMPLATES_RM: &str = "\
Examples:
  unmold templates rm all.db tea.example  a site
  unmold templates rm all.db --old        all old versions

Exit codes:
  0  done
  2  the command could not run";
