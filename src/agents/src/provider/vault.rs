//! Encryption of provider keys at rest: XChaCha20-Poly1305 under one master key, which comes from a separate file or the environment, never
//! from the database.
//!
//! A ciphertext is bound to its owner and provider, so that a row copied to another owner cannot be decrypted.

use std::fmt;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::key::ProviderKey;

/// First byte of a ciphertext, for future formats.
const VERSION: u8 = 1;
/// Number of bytes that identify the master key.
const MARK_LENGTH: usize = 4;
/// Number of bytes of a nonce: enough that random nonces do not collide.
const NONCE_LENGTH: usize = 24;
/// Number of bytes of the master key.
const KEY_LENGTH: usize = 32;
/// Maximum number of bytes that are read of a key file, so that a wrong file is refused quickly.
const MOST_READ: u64 = 1_024;

/// The master key.
#[derive(Clone)]
pub struct MasterKey {
    bytes: Zeroizing<[u8; KEY_LENGTH]>,
}

/// Error of encryption or decryption.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key file cannot be created or read.
    #[error("the file of the master key {} cannot be read or made; it seals the keys of providers", path.display())]
    File {
        /// Path of the key file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Other users may read the file.
    #[error(
        "the file of the master key {} is open to other users (mode {mode:03o}); make it yours alone with `chmod 600`", path.display()
    )]
    OpenToOthers {
        /// Path of the key file.
        path: PathBuf,
        /// Permission bits of the file, such as 0o644.
        mode: u32,
    },
    /// The text is not a master key.
    #[error(
        "{0} holds no master key: it is 64 hexadecimal digits (32 random bytes), such as `openssl rand -hex 32` prints"
    )]
    Form(String),
    /// The key was encrypted with another master key.
    #[error(
        "the stored key was sealed with another master key; start with that one, or remove the stored key and save it once more"
    )]
    OtherMaster,
    /// The ciphertext was changed, or belongs to another owner or provider.
    #[error("the stored key is damaged; remove it and save it once more")]
    Damaged,
    /// The system has no random bytes.
    #[error("the system gives no random bytes")]
    Randomness(#[source] getrandom::Error),
}

impl MasterKey {
    /// Reads the master key from a file. A missing file is created with a new key, readable by this user only.
    ///
    /// # Errors
    /// The file cannot be read or created, is readable by others, or has no master key.
    pub fn from_file(path: &Path) -> Result<Self, VaultError> {
        let failed = |source| VaultError::File { path: path.to_owned(), source };
        match fs::File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_file(path)?;
                read_file(path, fs::File::open(path).map_err(failed)?)
            }
            opened => read_file(path, opened.map_err(failed)?),
        }
    }

    /// Parses the master key from a text, as in an environment variable.
    ///
    /// # Errors
    /// The text is not a master key.
    pub fn from_text(text: &str) -> Result<Self, VaultError> {
        parse(text).ok_or_else(|| VaultError::Form("the text that was given".to_owned()))
    }

    /// Encrypts an owner's key for a provider; the result differs each time.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn seal(&self, owner: &str, provider: &str, key: &ProviderKey) -> Result<Vec<u8>, VaultError> {
        let mut nonce = [0_u8; NONCE_LENGTH];
        getrandom::fill(&mut nonce).map_err(VaultError::Randomness)?;
        let associated = associated_data(owner, provider);
        let payload = Payload { msg: key.reveal().as_bytes(), aad: &associated };
        // The cipher only fails on messages of many gigabytes.
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload).map_err(|_| VaultError::Damaged)?;
        Ok([&[VERSION], &self.key_mark()[..], &nonce, &sealed].concat())
    }

    /// Decrypts a key that was encrypted for the same owner and provider.
    ///
    /// # Errors
    /// The key was encrypted with another master key, or the ciphertext was changed.
    pub fn open(&self, owner: &str, provider: &str, sealed: &[u8]) -> Result<ProviderKey, VaultError> {
        let damaged = VaultError::Damaged;
        let Some(([VERSION], rest)) = sealed.split_first_chunk::<1>() else { return Err(damaged) };
        let Some((mark, rest)) = rest.split_first_chunk::<MARK_LENGTH>() else { return Err(damaged) };
        let Some((nonce, sealed)) = rest.split_first_chunk::<NONCE_LENGTH>() else { return Err(damaged) };
        if *mark != self.key_mark() {
            return Err(VaultError::OtherMaster);
        }
        let associated = associated_data(owner, provider);
        let payload = Payload { msg: sealed, aad: &associated };
        let plaintext =
            self.cipher().decrypt(&XNonce::from(*nonce), payload).map_err(|_| VaultError::Damaged)?;
        let plaintext = Zeroizing::new(plaintext);
        let text = std::str::from_utf8(&plaintext).map_err(|_| VaultError::Damaged)?;
        text.parse().map_err(|_| VaultError::Damaged)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.bytes).into())
    }

    /// Returns the first bytes of a hash of the key, which identify the key without revealing it.
    fn key_mark(&self) -> [u8; MARK_LENGTH] {
        let hash = blake3::derive_key("parquote: which master key sealed a provider's key", &*self.bytes);
        let [a, b, c, d, ..] = hash;
        [a, b, c, d]
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

/// Encodes owner and provider so that no other pair has the same bytes.
fn associated_data(owner: &str, provider: &str) -> Vec<u8> {
    [&(owner.len() as u64).to_le_bytes()[..], owner.as_bytes(), provider.as_bytes()].concat()
}

fn parse(text: &str) -> Option<MasterKey> {
    let digits = text.trim().as_bytes();
    if digits.len() != 2 * KEY_LENGTH {
        return None;
    }
    let mut bytes = Zeroizing::new([0_u8; KEY_LENGTH]);
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        let value = char::from(*high).to_digit(16)? * 16 + char::from(*low).to_digit(16)?;
        *byte = u8::try_from(value).ok()?;
    }
    Some(MasterKey { bytes })
}

fn read_file(path: &Path, file: fs::File) -> Result<MasterKey, VaultError> {
    let failed = |source| VaultError::File { path: path.to_owned(), source };
    #[cfg(unix)]
    {
        // The mode is read from the open file, because the file at the path may be replaced in between.
        let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().map_err(failed)?) & 0o777;
        if mode & 0o077 != 0 {
            return Err(VaultError::OpenToOthers { path: path.to_owned(), mode });
        }
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(MOST_READ as usize));
    file.take(MOST_READ).read_to_end(&mut bytes).map_err(failed)?;
    std::str::from_utf8(&bytes)
        .ok()
        .and_then(parse)
        .ok_or_else(|| VaultError::Form(format!("the file {}", path.display())))
}

/// Creates the file with a new key, under a temporary name first, so that a concurrent process never reads half of it. If that process was
/// first, its file stays.
fn create_file(path: &Path) -> Result<(), VaultError> {
    let failed = |source| VaultError::File { path: path.to_owned(), source };
    let mut bytes = Zeroizing::new([0_u8; KEY_LENGTH]);
    getrandom::fill(&mut *bytes).map_err(VaultError::Randomness)?;
    let mut text = Zeroizing::new(String::with_capacity(2 * KEY_LENGTH + 1));
    for byte in bytes.iter() {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    text.push('\n');
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    // Created with mode 600.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error.error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    fn key() -> ProviderKey {
        "sk-test-0123456789abcdef".parse().unwrap()
    }

    #[test]
    fn what_is_sealed_opens_for_its_owner_and_provider_alone() {
        let master = MasterKey::from_text(TEXT).unwrap();
        let sealed = master.seal("ab", "openai", &key()).unwrap();
        assert_eq!(master.open("ab", "openai", &sealed).unwrap(), key());
        assert_ne!(master.seal("ab", "openai", &key()).unwrap(), sealed);
        // The second pair has the same concatenation.
        for (owner, provider) in [("b", "openai"), ("abo", "penai"), ("ab", "groq")] {
            assert!(matches!(master.open(owner, provider, &sealed), Err(VaultError::Damaged)));
        }
        let other = MasterKey::from_text(&TEXT.replace("1f", "2f")).unwrap();
        let error = other.open("ab", "openai", &sealed).unwrap_err();
        assert!(error.to_string().contains("another master key"), "{error}");
    }

    #[test]
    fn every_changed_or_missing_byte_is_found() {
        let master = MasterKey::from_text(TEXT).unwrap();
        let sealed = master.seal("a", "groq", &key()).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(master.open("a", "groq", &changed).is_err(), "byte {at}");
            assert!(master.open("a", "groq", &sealed[..at]).is_err(), "first {at}");
        }
    }

    /// A test vector from draft-irtf-cfrg-xchacha-03, A.3.1, confirms the cipher.
    #[test]
    fn the_cipher_is_the_published_one() {
        let plain =
            b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                      sunscreen would be it.";
        let key: [u8; 32] = std::array::from_fn(|at| 0x80 + at as u8);
        let nonce: [u8; 24] = std::array::from_fn(|at| 0x40 + at as u8);
        let aad = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
        let master = MasterKey { bytes: Zeroizing::new(key) };
        let sealed =
            master.cipher().encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: &aad }).unwrap();
        assert_eq!(sealed[..8], [0xbd, 0x6d, 0x17, 0x9d, 0x3e, 0x83, 0xd4, 0x3b]);
        assert_eq!(sealed[sealed.len() - 16..][..4], [0xc0, 0x87, 0x59, 0x24]);
    }

    #[test]
    fn a_file_is_made_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/master.key");
        let first = MasterKey::from_file(&path).unwrap();
        let sealed = first.seal("a", "groq", &key()).unwrap();
        assert_eq!(MasterKey::from_file(&path).unwrap().open("a", "groq", &sealed).unwrap(), key());
        assert_eq!(fs::read_to_string(&path).unwrap().trim().len(), 64);
        assert_eq!(format!("{first:?}"), "MasterKey(..)");
    }

    #[test]
    fn programs_that_make_the_file_at_once_get_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let keys: Vec<_> = std::thread::scope(|scope| {
            let makers: Vec<_> =
                (0..8).map(|_| scope.spawn(|| MasterKey::from_file(&path).unwrap())).collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| key.bytes == keys[0].bytes));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_that_hold_something_else_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        drop(MasterKey::from_file(&path).unwrap());
        for text in ["", "0011", &TEXT[1..], &format!("{TEXT}0"), &TEXT.replace('a', "g"), &"0".repeat(5_000)]
        {
            fs::write(&path, text).unwrap();
            assert!(matches!(MasterKey::from_file(&path), Err(VaultError::Form(_))), "{text}");
        }
        assert!(matches!(
            MasterKey::from_file(folder.path()),
            Err(VaultError::File { .. } | VaultError::OpenToOthers { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        drop(MasterKey::from_file(&path).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        for mode in [0o644, 0o640, 0o602, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let message = MasterKey::from_file(&path).unwrap_err().to_string();
            assert!(message.contains("chmod 600") && message.contains(&format!("{mode:03o}")), "{message}");
        }
    }
}
