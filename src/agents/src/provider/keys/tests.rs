//! Tests of keys in a real file: decryption by owner, and remains of a key on the disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::*;
use crate::on_postgres::state_at;

const MASTER: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const FIRST: &str = "sk-proj-FIRST0123456789abcdef";
const SECOND: &str = "sk-proj-SECOND0123456789abcde";

fn providers() -> Arc<Providers> {
    let file = |name: &str| {
        format!(
            "label = \"{name}\"\nprotocol = \"openai\"\nbase_url = \"https://{name}.example.com\"\nmodel = \"m\"\n\
             priced_on = \"2026-10-07\"\nprice_source = \"https://example.com\"\n"
        )
    };
    let files = ["groq", "openai", "gemini"].map(|name| (format!("{name}.toml"), file(name)));
    Arc::new(Providers::parse(files.iter().map(|(path, text)| (path.as_str(), text.as_str()))).unwrap())
}

fn keys_at(folder: &tempfile::TempDir, master: &str) -> ProviderKeys {
    let store = Store::open(state_at(&folder.path().join("state.db"))).unwrap();
    let clock = AtomicI64::new(1_000);
    let clock = Arc::new(move || clock.fetch_add(1, Ordering::Relaxed));
    ProviderKeys::new(store, MasterKey::from_text(master).unwrap(), providers(), clock)
}

fn keys() -> (tempfile::TempDir, ProviderKeys) {
    let folder = tempfile::tempdir().unwrap();
    let keys = keys_at(&folder, MASTER);
    (folder, keys)
}

fn key(text: &str) -> ProviderKey {
    text.parse().unwrap()
}

async fn chosen(keys: &ProviderKeys, provider: Option<&str>) -> Result<String, String> {
    let chosen = keys.choose("a", provider).await;
    chosen.map(|(name, _)| name).map_err(|error| error.to_string())
}

#[tokio::test]
async fn the_named_then_the_preferred_then_the_only_one_is_chosen() {
    let (_folder, keys) = keys();
    let nothing = chosen(&keys, None).await.unwrap_err();
    assert!(nothing.contains("/india/models") && nothing.contains("gemini, groq, openai"), "{nothing}");
    assert_eq!(chosen(&keys, Some("groq")).await.unwrap_err(), nothing);
    for provider in ["openai", "groq", "gemini"] {
        keys.save("a", provider, &key(FIRST)).await.unwrap();
    }
    assert_eq!(chosen(&keys, None).await.unwrap(), "openai");
    assert_eq!(chosen(&keys, Some(" Groq ")).await.unwrap(), "groq");
    keys.set_preferred("a", "gemini").await.unwrap();
    assert_eq!(chosen(&keys, None).await.unwrap(), "gemini");
    assert!(keys.remove("a", "gemini").await.unwrap());
    let several = chosen(&keys, None).await.unwrap_err();
    assert!(several.contains("keys for groq, openai and prefer none"), "{several}");
    let missing = keys.set_preferred("a", "gemini").await.unwrap_err().to_string();
    assert!(missing.contains("no key for gemini, but for groq, openai"), "{missing}");
    assert!(keys.remove("a", "openai").await.unwrap());
    assert_eq!(chosen(&keys, None).await.unwrap(), "groq");
    assert!(keys.choose("b", None).await.is_err());
}

#[tokio::test]
async fn an_unknown_provider_is_told_the_known_ones_and_no_key_comes_back_by_it() {
    let (_folder, keys) = keys();
    let error = keys.save("a", FIRST, &key(FIRST)).await.unwrap_err().to_string();
    assert!(error.contains("the providers are gemini, groq, openai"), "{error}");
    assert!(error.starts_with("`...` is not a provider"), "{error}");
    let typo = keys.choose("a", Some("opnai")).await.unwrap_err().to_string();
    assert!(typo.starts_with("`opnai` is not a provider"), "{typo}");
}

#[tokio::test]
async fn what_is_listed_is_masked_and_a_test_counts_for_the_key_it_tested() {
    let (_folder, keys) = keys();
    let saved = keys.save("a", "openai", &key(FIRST)).await.unwrap();
    assert_eq!((saved.masked.as_str(), saved.saved_at, saved.preferred), ("sk-...cdef", 1_000, true));
    assert!(keys.record_test("a", "openai", &key(FIRST), &format!("works, {FIRST}")).await.unwrap());
    let listed = keys.list("a").await.unwrap();
    assert_eq!((listed[0].tested_at, listed[0].test_result.as_deref()), (Some(1_001), Some("works, [key]")));
    keys.save("a", "openai", &key(SECOND)).await.unwrap();
    assert!(!keys.record_test("a", "openai", &key(FIRST), "of the old one").await.unwrap());
    assert_eq!(keys.list("a").await.unwrap()[0].test_result, None);
    assert_eq!(keys.choose("a", None).await.unwrap().1, key(SECOND));
}

#[tokio::test]
async fn another_master_key_opens_nothing_and_says_so() {
    let (folder, keys) = keys();
    keys.save("a", "openai", &key(FIRST)).await.unwrap();
    let other = keys_at(&folder, &MASTER.replace("1f", "2f"));
    let error = other.choose("a", None).await.unwrap_err().to_string();
    assert!(error.contains("another master key"), "{error}");
}

#[tokio::test]
async fn a_row_that_was_copied_to_another_owner_does_not_open() {
    let (folder, keys) = keys();
    keys.save("a", "openai", &key(FIRST)).await.unwrap();
    let other = rusqlite::Connection::open(folder.path().join("state.db")).unwrap();
    other.execute("INSERT INTO provider_keys SELECT 'b', provider, sealed, masked, 1, 1, NULL, NULL FROM provider_keys", []).unwrap();
    assert!(matches!(keys.choose("b", None).await, Err(KeysError::Vault(VaultError::Damaged))));
}

#[tokio::test]
async fn no_byte_of_a_clear_key_is_ever_in_the_files() {
    let (folder, keys) = keys();
    let scan = |when: &str| {
        let mut scanned = 0;
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            scanned += bytes.len();
            for text in [FIRST, SECOND] {
                // Also in halves, in case a page ends within it.
                for part in [&text[..15], &text[14..]] {
                    let found = bytes.windows(part.len()).any(|window| window == part.as_bytes());
                    assert!(!found, "{when}: {part}");
                }
            }
        }
        assert!(scanned > 4_096, "the scan read {scanned} bytes");
    };
    keys.save("a", "openai", &key(FIRST)).await.unwrap();
    scan("saved");
    keys.save("a", "openai", &key(SECOND)).await.unwrap();
    scan("replaced");
    keys.record_test("a", "openai", &key(SECOND), &format!("said {SECOND}")).await.unwrap();
    scan("tested");
    keys.remove("a", "openai").await.unwrap();
    scan("removed");
    drop(keys);
    scan("closed");
}
