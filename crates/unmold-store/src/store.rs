//! The database and its one table.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use unmold::{Template, TemplateSet};

use super::error::StoreError;
use super::pack::{pack, unpack};

/// What the file says it is: `unmo`, in the field that SQLite reserves for that.
const APPLICATION: i32 = 0x756e_6d6f;
/// Version of the tables below. The blobs have the version of the template file.
const VERSION: i32 = 1;
/// The first bytes of every SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Higher levels gain little and take ten times as long.
const COMPRESSION: i32 = 9;
/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(30);

// A plain rowid table: with the blobs in the tree of the primary key, files are twice as large.
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
#[non_exhaustive]
pub struct Entry {
    /// The site.
    pub site: String,
    /// 1 for the first; the largest is the one in use.
    pub version: u32,
    /// When it was stored, in UTC: `2026-01-31 12:00:00`.
    pub stored_at: String,
    /// The method that learned the templates.
    pub method: String,
    /// Number of templates: one, or one for each cluster of the site's pages.
    pub templates: u32,
    /// Number of pages that they were learned from.
    pub pages: u32,
    /// Their size in the file.
    pub bytes: i64,
}

/// Whether a file that begins with these bytes is a store, or at least a database.
#[must_use]
pub fn looks_like_store(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

impl Store {
    /// Opens a store to read and write, and creates it if there is none.
    ///
    /// # Errors
    /// The file is something else, was written by a newer release, or cannot be opened.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            create(path)?;
        }
        let flags = OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = connect(path, flags)?;
        set_up(&mut connection, path)?;
        Ok(Store { connection })
    }

    /// Opens an existing store to read.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = connect(path, flags)?;
        check(&connection, path)?;
        Ok(Store { connection })
    }

    /// Adds a version for each site of the set, for all of them or none. A site whose templates did
    /// not change keeps its version. Gives the version that each site has now, and whether it is
    /// new.
    ///
    /// # Errors
    /// The file cannot be written, or another writer holds it for half a minute.
    pub fn put(&mut self, set: &TemplateSet) -> Result<Vec<(String, u32, bool)>, StoreError> {
        // Immediate: of two writers one waits here. Otherwise both would read, and one would fail
        // when it writes.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut stored = Vec::new();
        for template in set.iter() {
            let site = template.site();
            let newest = newest(&transaction, site)?;
            // Corrections survive when a site is learned again. Those of a damaged row are lost
            // already.
            let known = newest.as_ref().map(|(version, blob)| decode(site, *version, blob));
            let template = match known {
                Some(Ok(known)) => Template::clone(template).with_overrides_of(&known),
                _ => Template::clone(template),
            };
            let json = template.to_json();
            // The JSON is compared, not the blob: compression may differ between releases.
            if let Some((version, blob)) = &newest
                && unpack(blob).is_ok_and(|known| known == json.as_bytes())
            {
                stored.push((site.to_owned(), *version, false));
                continue;
            }
            let blob = pack(&json, COMPRESSION).map_err(StoreError::Compress)?;
            let version = newest.map_or(1, |(version, _)| version + 1);
            transaction.execute(
                "INSERT INTO template_set (site, version, method, templates, pages, json_zstd) \
                 VALUES (?, ?, ?, ?, ?, ?)",
                params![
                    site,
                    version,
                    template.kinds()[0].learned().method().name(),
                    template.kinds().len() as u32,
                    template.pages(),
                    blob
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
    /// It is damaged, was learned with other weights than those of this release, or the file cannot
    /// be read.
    pub fn get(&self, site: &str) -> Result<Option<Template>, StoreError> {
        let template = self.get_of_any_model(site)?;
        let checked = template.as_ref().map_or(Ok(()), Template::check_model);
        checked.map_err(|reason| StoreError::OtherModel { site: site.to_owned(), reason })?;
        Ok(template)
    }

    /// The newest template of a site, whatever weights it was learned with: to show it, or to learn
    /// it again.
    ///
    /// # Errors
    /// It is damaged, or the file cannot be read.
    pub fn get_of_any_model(&self, site: &str) -> Result<Option<Template>, StoreError> {
        let newest = newest(&self.connection, site)?;
        newest.map(|(version, blob)| decode(site, version, &blob)).transpose()
    }

    /// One version of a site's template, whatever weights it was learned with.
    ///
    /// # Errors
    /// It is damaged, or the file cannot be read.
    pub fn get_version(&self, site: &str, version: u32) -> Result<Option<Template>, StoreError> {
        let blob: Option<Vec<u8>> = self
            .connection
            .prepare_cached("SELECT json_zstd FROM template_set WHERE site = ? AND version = ?")?
            .query_row(params![site, version], |row| row.get(0))
            .optional()?;
        blob.map(|blob| decode(site, version, &blob)).transpose()
    }

    /// The newest templates of all sites, whatever weights they were learned with, and the errors
    /// of those that are damaged.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get_all(&self) -> Result<(TemplateSet, Vec<StoreError>), StoreError> {
        let (mut set, mut damaged) = (TemplateSet::new(), Vec::new());
        for site in self.sites()? {
            match self.get_of_any_model(&site) {
                Ok(template) => set.extend(template),
                Err(error @ StoreError::Damaged { .. }) => damaged.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok((set, damaged))
    }

    /// Whether there is any version of a site, or this one. Damaged ones count.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn contains(&self, site: &str, version: Option<u32>) -> Result<bool, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM template_set WHERE site = ?1 \
             AND (?2 IS NULL OR version = ?2))",
        )?;
        Ok(statement.query_row(params![site, version], |row| row.get(0))?)
    }

    /// Every version of every site, sorted by site and version. Decodes nothing.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT site, version, stored_at, method, templates, pages, length(json_zstd) \
             FROM template_set ORDER BY site, version",
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

    /// Names of the sites, sorted. Decodes nothing.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn sites(&self) -> Result<Vec<String>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT DISTINCT site FROM template_set ORDER BY site")?;
        let sites = statement.query_map([], |row| row.get(0))?;
        sites.collect::<Result<_, _>>().map_err(StoreError::from)
    }

    /// Removes all versions of a site, or one of them. Gives their number.
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

    /// Removes all but the newest version of each site, and shrinks the file. Gives their number.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove_old(&mut self) -> Result<usize, StoreError> {
        let removed = self.connection.execute(
            "DELETE FROM template_set WHERE version < (SELECT max(version) \
             FROM template_set AS other WHERE other.site = template_set.site)",
            [],
        )?;
        self.connection.execute_batch("VACUUM")?;
        Ok(removed)
    }
}

/// Builds an empty store under a temporary name and renames it, so that a reader sees no store or a
/// complete one, never a file that is not a store yet.
fn create(path: &Path) -> Result<(), StoreError> {
    let cannot = |source| StoreError::Create { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unmold-store-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What any new file gets, less the umask; temporary files are only for their owner.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(cannot)?;
    let temporary = file.into_temp_path();
    let mut connection = connect(&temporary, OpenFlags::default())?;
    set_up(&mut connection, &temporary)?;
    connection.close().map_err(|(_, source)| StoreError::Database(source))?;
    match temporary.persist_noclobber(path) {
        Ok(()) => Ok(()),
        // Another writer was faster: its store is as good.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(cannot(error.error)),
    }
}

/// Makes a store of an empty file, and checks any other.
fn set_up(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    if application(connection, path)? == 0 {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another writer may have done it in the meantime.
        if application(&transaction, path)? == 0 && is_empty(&transaction)? {
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.execute_batch(SCHEMA)?;
        }
        transaction.commit()?;
    }
    check(connection, path)?;
    use_write_ahead_log(connection)?;
    // Older releases created the tables after the rest, and may have been stopped in between.
    Ok(connection.execute_batch(SCHEMA)?)
}

/// With a write-ahead log, readers see the last complete state while a writer is at work.
///
/// SQLite does not wait for others when the log is switched on, so this does.
fn use_write_ahead_log(connection: &Connection) -> Result<(), StoreError> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                    && start.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return Ok(outcome?),
        }
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let cannot = |source| StoreError::Open { path: path.to_owned(), source };
    let connection = Connection::open_with_flags(path, flags).map_err(cannot)?;
    connection.busy_timeout(PATIENCE).map_err(cannot)?;
    Ok(connection)
}

/// Reads the application id. This is the first access to the file, so a file that is not a database
/// is noticed here.
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

fn decode(site: &str, version: u32, blob: &[u8]) -> Result<Template, StoreError> {
    let damaged = |reason: String| StoreError::Damaged { site: site.to_owned(), version, reason };
    let json = unpack(blob).map_err(|error| damaged(error.to_string()))?;
    let set = TemplateSet::from_json_of_any_model(&json);
    let set = set.map_err(|error| damaged(error.to_string()))?;
    set.into_iter().next().ok_or_else(|| damaged("it holds no template".to_owned()))
}
