//! Keeps the templates of many sites in one file, with their history: what a crawl that goes on
//! needs.
//!
//! A [`Store`] is an SQLite database. Each time the templates of a site change, a version is added;
//! [`Store::get`] gives the newest. A write is there as a whole or not at all, even if the machine
//! stops in the middle of it; readers are not held up by a writer and see what was there before.
//!
//! Its own crate, because the library neither opens files nor makes its users build a database.

mod error;

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use unmold::{Template, TemplateSet};

pub use error::StoreError;

/// What the file says it is: `unmo`, in the place SQLite keeps for that.
const APPLICATION: i32 = 0x756e_6d6f;
/// Of the tables below. What is in the blobs has the version of the template file.
const VERSION: i32 = 1;
/// How every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Most of what higher levels win over this one costs ten times the time.
const COMPRESSION: i32 = 9;
/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(30);

// A plain rowid table: with the blobs in the primary key's own tree, files are twice as large.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS template_set (
        id INTEGER PRIMARY KEY,
        site TEXT NOT NULL,
        version INTEGER NOT NULL,
        stored_at TEXT NOT NULL DEFAULT (datetime('now')),
        method TEXT NOT NULL,
        templates INTEGER NOT NULL,
        pages INTEGER NOT NULL,
        json_zstd BLOB NOT NULL
    );
    CREATE UNIQUE INDEX IF NOT EXISTS template_set_site ON template_set (site, version);";

/// Templates of many sites in one file.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
}

/// One version of a site's templates, without the templates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The site.
    pub site: String,
    /// 1 for the first; the largest is the one in use.
    pub version: u32,
    /// When it was stored, in UTC: `2026-01-31 12:00:00`.
    pub stored_at: String,
    /// The method that learned them.
    pub method: String,
    /// Number of templates: one, or one for each cluster of the site's pages.
    pub templates: u32,
    /// Pages they were learned from.
    pub pages: u32,
    /// Bytes that they take.
    pub bytes: i64,
}

/// Whether a file that begins with these bytes is a store, or at least a database.
pub fn looks_like_store(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

impl Store {
    /// Opens a store to read and to write; makes it if there is none.
    ///
    /// # Errors
    /// The file is something else, of a newer release, or cannot be opened.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let connection = connect(path, OpenFlags::default())?;
        if application(&connection, path)? == 0 && is_empty(&connection)? {
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", VERSION)?;
        }
        check(&connection, path)?;
        // Readers see the last complete state while a writer is at work.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.execute_batch(SCHEMA)?;
        Ok(Store { connection })
    }

    /// Opens a store that is there, to read.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = connect(path, flags)?;
        check(&connection, path)?;
        Ok(Store { connection })
    }

    /// Adds a version for each site of the set, all or none of them. A site whose templates did not
    /// change keeps the version it has. Says which version each site has now, and whether it is
    /// new.
    ///
    /// # Errors
    /// The file cannot be written, or another writer holds it for half a minute.
    pub fn put(&mut self, set: &TemplateSet) -> Result<Vec<(String, u32, bool)>, StoreError> {
        // Immediate: of two writers one waits here, instead of failing when both want to write what
        // they have read.
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut stored = Vec::new();
        for template in set.iter() {
            let site = template.site();
            let newest = newest(&transaction, site)?;
            // Corrections are not lost when a site is learned again. Those of a damaged row are lost
            // already.
            let known = newest.as_ref().map(|(version, json)| decode(site, *version, json));
            let template = match known {
                Some(Ok(known)) => Template::clone(template).with_overrides_of(&known),
                _ => Template::clone(template),
            };
            let json = zstd::encode_all(template.to_json().as_bytes(), COMPRESSION)
                .map_err(StoreError::Compress)?;
            if let Some((version, known)) = &newest
                && *known == json
            {
                stored.push((site.to_owned(), *version, false));
                continue;
            }
            let version = newest.map_or(1, |(version, _)| version + 1);
            transaction.execute(
                "INSERT INTO template_set (site, version, method, templates, pages, json_zstd)
                 VALUES (?, ?, ?, ?, ?, ?)",
                params![
                    site,
                    version,
                    template.kinds()[0].learned().method().name(),
                    template.kinds().len() as u32,
                    template.pages(),
                    json
                ],
            )?;
            stored.push((site.to_owned(), version, true));
        }
        transaction.commit()?;
        Ok(stored)
    }

    /// The newest template of a site, ready to be applied.
    ///
    /// # Errors
    /// It cannot be read, or was learned with other weights than those of this release.
    pub fn get(&self, site: &str) -> Result<Option<Template>, StoreError> {
        let template = self.get_of_any_model(site)?;
        if let Some(template) = &template {
            let checked = template.check_model();
            checked.map_err(|source| StoreError::OtherModel { site: site.to_owned(), source })?;
        }
        Ok(template)
    }

    /// The newest template of a site, whatever weights it was learned with: to show it, or to learn
    /// it again.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn get_of_any_model(&self, site: &str) -> Result<Option<Template>, StoreError> {
        let newest = newest(&self.connection, site)?;
        newest.map(|(version, json)| decode(site, version, &json)).transpose()
    }

    /// One version of a site's template, whatever weights it was learned with.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn get_version(&self, site: &str, version: u32) -> Result<Option<Template>, StoreError> {
        let json: Option<Vec<u8>> = self
            .connection
            .prepare_cached("SELECT json_zstd FROM template_set WHERE site = ? AND version = ?")?
            .query_row(params![site, version], |row| row.get(0))
            .optional()?;
        json.map(|json| decode(site, version, &json)).transpose()
    }

    /// Every version of every site, sorted by site and version.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT site, version, stored_at, method, templates, pages, length(json_zstd) FROM template_set
             ORDER BY site, version",
        )?;
        let entries = statement.query_map([], |row| {
            Ok(Entry {
                site: row.get(0)?,
                version: row.get(1)?,
                stored_at: row.get(2)?,
                method: row.get(3)?,
                templates: row.get(4)?,
                pages: row.get(5)?,
                bytes: row.get(6)?,
            })
        })?;
        entries.collect::<Result<_, _>>().map_err(StoreError::from)
    }

    /// The sites, sorted.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn sites(&self) -> Result<Vec<String>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT DISTINCT site FROM template_set ORDER BY site")?;
        let sites = statement.query_map([], |row| row.get(0))?;
        sites.collect::<Result<_, _>>().map_err(StoreError::from)
    }

    /// Removes all versions of a site, or one of them; how many there were.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(&mut self, site: &str, version: Option<u32>) -> Result<usize, StoreError> {
        let removed = match version {
            None => self.connection.execute("DELETE FROM template_set WHERE site = ?", [site]),
            Some(version) => self.connection.execute(
                "DELETE FROM template_set WHERE site = ? AND version = ?",
                params![site, version],
            ),
        };
        Ok(removed?)
    }

    /// Removes all but the newest version of each site, and gives the room back; how many there
    /// were.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove_old(&mut self) -> Result<usize, StoreError> {
        let removed = self.connection.execute(
            "DELETE FROM template_set WHERE version < (SELECT max(version) FROM template_set AS other
             WHERE other.site = template_set.site)",
            [],
        )?;
        self.connection.execute_batch("VACUUM")?;
        Ok(removed)
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let cannot = |source| StoreError::Open { path: path.to_owned(), source };
    let connection = Connection::open_with_flags(path, flags).map_err(cannot)?;
    connection.busy_timeout(PATIENCE).map_err(cannot)?;
    Ok(connection)
}

/// The first thing read from the file: what is no database is found out here.
fn application(connection: &Connection, path: &Path) -> Result<i32, StoreError> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(|source| {
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => {
                StoreError::Foreign { path: path.to_owned() }
            }
            _ => StoreError::Open { path: path.to_owned(), source },
        }
    })
}

fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    Ok(connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?)
}

fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if application(connection, path)? != APPLICATION {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let found: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(())
}

fn newest(connection: &Connection, site: &str) -> Result<Option<(u32, Vec<u8>)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT version, json_zstd FROM template_set WHERE site = ? ORDER BY version DESC LIMIT 1",
    )?;
    Ok(statement.query_row([site], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

fn decode(site: &str, version: u32, json: &[u8]) -> Result<Template, StoreError> {
    let damaged = |reason: String| StoreError::Damaged { site: site.to_owned(), version, reason };
    let json = zstd::decode_all(json).map_err(|error| damaged(error.to_string()))?;
    let set = TemplateSet::from_json_of_any_model(&json);
    let set = set.map_err(|error| damaged(error.to_string()))?;
    set.into_iter().next().ok_or_else(|| damaged("it holds no template".to_owned()))
}
