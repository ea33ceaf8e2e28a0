//! Compiled kernels on disk.
//!
//! A file holds the whole key beside the kernel, so that one found under a key's name is either the right one or
//! ignored; and a checksum, so that a damaged one is, too. Files are written under another name and renamed: whoever
//! reads meanwhile sees all of a file or nothing of it. Nothing here is ever an error: without a cache, kernels are
//! compiled.
//!
//! `SITU_CACHE_DIR` names the folder (empty: no cache), `SITU_CACHE_BYTES` its largest size; when it has grown beyond,
//! the files that have not been used for longest go.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// Changes when the format does.
const MAGIC: &[u8; 8] = b"situ k1\n";
/// The largest size of the folder where nothing else is said.
const DEFAULT_BYTES: u64 = 256 << 20;
/// A file's date is not renewed more often.
const FRESH: Duration = Duration::from_secs(3600);

/// The folder, unless there is none.
fn folder() -> Option<PathBuf> {
    if let Some(told) = std::env::var_os("SITU_CACHE_DIR") {
        return (!told.is_empty()).then(|| PathBuf::from(told).join("kernels"));
    }
    let own = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let base = own("XDG_CACHE_HOME")
        .or_else(|| own("LOCALAPPDATA"))
        .or_else(|| own("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("situ").join("kernels"))
}

/// The largest size of the folder.
pub fn largest() -> Result<u64, String> {
    let told = std::env::var_os("SITU_CACHE_BYTES").filter(|told| !told.is_empty());
    let Some(told) = told else { return Ok(DEFAULT_BYTES) };
    let told = told.to_string_lossy();
    let wrong =
        || format!("SITU_CACHE_BYTES={told:?} is no number of bytes; write one like \"268435456\" or \"256MiB\"");
    situ_types::parse_bytes(&told).ok_or_else(wrong)
}

/// FNV-1a: good enough to tell texts apart where the whole text is compared afterwards.
fn digest(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn path_of(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{:016x}.kernel", digest(&[key.as_bytes()])))
}

/// The kernel with this key, if there is one.
pub fn load(key: &str) -> Option<Vec<u8>> {
    load_from(&folder()?, key)
}

fn load_from(folder: &Path, key: &str) -> Option<Vec<u8>> {
    let path = path_of(folder, key);
    let content = fs::read(&path).ok()?;
    let image = unpack(&content, key)?.to_vec();
    renew(&path);
    Some(image)
}

/// Keeps a kernel for later.
pub fn store(key: &str, image: &[u8]) {
    if let Some(folder) = folder() {
        // Best effort: a full disk or a read-only home only costs time later.
        let _ = store_in(&folder, key, image);
    }
}

fn store_in(folder: &Path, key: &str, image: &[u8]) -> std::io::Result<()> {
    static STORED: AtomicU32 = AtomicU32::new(0);
    fs::create_dir_all(folder)?;
    let turn = STORED.fetch_add(1, Ordering::Relaxed);
    let draft = folder.join(format!("{}-{turn}.draft", std::process::id()));
    let written = fs::write(&draft, pack(key, image)).and_then(|()| fs::rename(&draft, path_of(folder, key)));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    if turn.is_multiple_of(16) {
        shrink(folder, largest().unwrap_or(DEFAULT_BYTES));
    }
    written
}

/// Magic, checksum of the rest, length of the key, key, image.
fn pack(key: &str, image: &[u8]) -> Vec<u8> {
    let length = (key.len() as u64).to_le_bytes();
    let sum = digest(&[&length, key.as_bytes(), image]).to_le_bytes();
    [MAGIC, &sum[..], &length, key.as_bytes(), image].concat()
}

fn unpack<'c>(content: &'c [u8], key: &str) -> Option<&'c [u8]> {
    let rest = content.strip_prefix(MAGIC)?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    if digest(&[rest]) != u64::from_le_bytes(*sum) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (found, image) = rest.split_at_checked(length)?;
    (found == key.as_bytes()).then_some(image)
}

/// Notes that a file was used.
fn renew(path: &Path) {
    let age = || fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    if age().is_some_and(|age| age > FRESH)
        && let Ok(file) = fs::File::options().append(true).open(path)
    {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes what has not been used for longest, until the rest is small enough.
fn shrink(folder: &Path, limit: u64) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let facts = entry.metadata().ok()?;
            Some((facts.modified().ok()?, facts.len(), entry.path()))
        })
        .collect();
    let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    files.sort();
    for (_, bytes, path) in files {
        if total <= limit {
            break;
        }
        if fs::remove_file(path).is_ok() {
            total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own, removed afterwards.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("situ-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_was_stored_is_found_again() {
        let folder = Folder::new("found");
        assert_eq!(load_from(&folder.0, "a key"), None);
        store_in(&folder.0, "a key", b"an image").unwrap();
        assert_eq!(load_from(&folder.0, "a key").as_deref(), Some(&b"an image"[..]));
        assert_eq!(load_from(&folder.0, "another key"), None);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "a draft was left behind");
    }

    #[test]
    fn a_damaged_file_is_ignored_and_replaced() {
        let folder = Folder::new("damaged");
        store_in(&folder.0, "key", b"image").unwrap();
        let path = path_of(&folder.0, "key");
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(&path, &bad).unwrap();
            assert_eq!(load_from(&folder.0, "key"), None, "byte {at}");
            fs::write(&path, &good[..at]).unwrap();
            assert_eq!(load_from(&folder.0, "key"), None, "cut at {at}");
        }
        store_in(&folder.0, "key", b"image").unwrap();
        assert_eq!(load_from(&folder.0, "key").as_deref(), Some(&b"image"[..]));
    }

    #[test]
    fn a_file_under_the_wrong_name_is_ignored() {
        let folder = Folder::new("name");
        store_in(&folder.0, "one", b"image").unwrap();
        fs::rename(path_of(&folder.0, "one"), path_of(&folder.0, "two")).unwrap();
        assert_eq!(load_from(&folder.0, "two"), None);
    }

    #[test]
    fn the_oldest_go_first() {
        let folder = Folder::new("oldest");
        for (age, key) in [(30, "old"), (20, "older than new"), (10, "new")] {
            store_in(&folder.0, key, &[7; 1000]).unwrap();
            let file = fs::File::options().append(true).open(path_of(&folder.0, key)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age * 1000)).unwrap();
        }
        load_from(&folder.0, "old").expect("still there");
        shrink(&folder.0, 2500);
        assert!(load_from(&folder.0, "old").is_some(), "it was used just now");
        assert!(load_from(&folder.0, "older than new").is_none());
        assert!(load_from(&folder.0, "new").is_some());
    }
}
