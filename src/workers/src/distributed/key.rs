//! The key shared by workers and their clients.

use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Status};

use super::error::WorkersError;

const HEADER: &str = "authorization";
/// Least length of a key in characters: 128 bits in hexadecimal.
const MIN_LENGTH: usize = 32;

/// The secret that all workers and their callers share.
#[derive(Clone)]
pub struct WorkerKey {
    header: MetadataValue<Ascii>,
    hash: blake3::Hash,
}

impl fmt::Debug for WorkerKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("WorkerKey")
    }
}

impl WorkerKey {
    /// Reads a file that contains only the key.
    ///
    /// # Errors
    /// The file cannot be read, is open to other users, or contains no key.
    pub fn read(path: &Path) -> Result<Self, WorkersError> {
        let refused = |why: String| WorkersError::File { path: path.to_owned(), why };
        let read_error = |error: io::Error| {
            refused(format!("the key of workers cannot be read ({error}); `openssl rand -hex 32` makes one"))
        };
        let mut file = fs::File::open(path).map_err(read_error)?;
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().map_err(read_error)?) & 0o777;
            if mode & 0o077 != 0 {
                return Err(refused(format!(
                    "the file of the key of workers is open to other users (mode {mode:03o}); make it yours alone with `chmod 600`"
                )));
            }
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(read_error)?;
        let text = text.trim();
        if text.len() < MIN_LENGTH || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused(format!(
                "a key of workers is one line of at least {MIN_LENGTH} letters and digits; `openssl rand -hex 32` makes one"
            )));
        }
        let header = format!("Bearer {text}");
        let mut header: MetadataValue<Ascii> = header
            .parse()
            .map_err(|error| refused(format!("the key is not valid text of a header ({error})")))?;
        header.set_sensitive(true);
        Ok(Self { hash: blake3::hash(header.as_bytes()), header })
    }

    /// Checks that a request carries the key; the comparison takes constant time.
    pub(super) fn check(&self, request: Request<()>) -> Result<Request<()>, Status> {
        match request.metadata().get(HEADER) {
            Some(header) if blake3::hash(header.as_bytes()) == self.hash => Ok(request),
            _ => Err(Status::unauthenticated("the key of workers is missing or another one")),
        }
    }

    /// Adds the key to the headers of a request.
    pub(super) fn put_into<B>(&self, request: &mut tonic::codegen::http::Request<B>) {
        let name = tonic::codegen::http::header::AUTHORIZATION;
        if let Ok(mut value) = tonic::codegen::http::HeaderValue::from_bytes(self.header.as_bytes()) {
            value.set_sensitive(true);
            request.headers_mut().insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_passes_with_the_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let open_to = |mode| {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs::set_permissions(&path, permissions).unwrap();
        };
        let read_key = |text: &str| {
            fs::write(&path, text).unwrap();
            open_to(0o600);
            WorkerKey::read(&path)
        };
        let key = read_key(&format!("{}\n", "k".repeat(32))).unwrap();
        assert_eq!(format!("{key:?}"), "WorkerKey");
        open_to(0o640);
        let refused = WorkerKey::read(&path).unwrap_err().to_string();
        assert!(refused.contains("mode 640") && refused.contains("chmod 600"), "{refused}");
        let accepts = |header: Option<&str>| {
            let mut request = Request::new(());
            if let Some(header) = header {
                request.metadata_mut().insert(HEADER, header.parse().unwrap());
            }
            key.check(request).is_ok()
        };
        assert!(accepts(Some(&format!("Bearer {}", "k".repeat(32)))));
        assert!(!accepts(None) && !accepts(Some("Bearer k")) && !accepts(Some(&"k".repeat(32))));
        for text in ["", "short", &format!("{} {}", "k".repeat(20), "k".repeat(20))] {
            let refused = read_key(text).unwrap_err().to_string();
            assert!(refused.contains("at least 32") && !refused.contains("kkkk"), "{refused}");
        }
        assert!(WorkerKey::read(&folder.path().join("none")).unwrap_err().to_string().contains("openssl"));
    }
}
