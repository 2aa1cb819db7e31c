//! A host on the loopback address that serves files in pieces and resumes broken transfers.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A host that serves files with entity tags and ranges, and records the requests.
pub(crate) struct RawHost {
    pub(crate) address: String,
    pub(crate) files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl RawHost {
    /// Starts a host of these files, keyed by path with query.
    pub(crate) fn over(files: BTreeMap<String, Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let host = Self { address, files: Arc::new(Mutex::new(files)), asked: Arc::default() };
        let (files, asked) = (Arc::clone(&host.files), Arc::clone(&host.asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (files, asked) = (Arc::clone(&files), Arc::clone(&asked));
                // A client that was killed does not read its response, which is no error here.
                std::thread::spawn(move || drop(answer(&stream, &files, &asked)));
            }
        });
        host
    }

    /// Returns the number of requests.
    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Clears the recorded requests.
    pub(crate) fn forget(&self) {
        self.asked.lock().unwrap().clear();
    }
}

fn answer(
    mut stream: &TcpStream,
    files: &Mutex<BTreeMap<String, Vec<u8>>>,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    asked.lock().unwrap().push(path.clone());
    let Some(body) = files.lock().unwrap().get(&path).cloned() else {
        return write!(stream, "HTTP/1.1 404 None\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let tag = format!("\"{}\"", blake3::hash(&body).to_hex());
    let from: usize = headers
        .get("range")
        .filter(|_| headers.get("if-range") == Some(&tag))
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok())
        .filter(|from| *from < body.len())
        .unwrap_or(0);
    let (status, total) = (if from > 0 { 206 } else { 200 }, body.len());
    let rest = &body[from..];
    write!(
        stream,
        "HTTP/1.1 {status} Status\r\nETag: {tag}\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{total}\r\nConnection: close\r\n\r\n",
        rest.len(),
        total.saturating_sub(1)
    )?;
    // In pieces, so that a kill leaves half-written files.
    for piece in rest.chunks(8_192) {
        stream.write_all(piece)?;
    }
    Ok(())
}

/// Returns all files under a folder, keyed by their path below it.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, files);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(folder, folder, &mut files);
    files
}
