//! Sets: the published tables of a market, as an immutable list of content-named files under a number.
//!
//! A set is `<root>/<market>/sets/<n>.json`; its files are `<root>/<market>/files/<table>/<hash>.parquet`. Both are written once and never
//! changed. A set is published by creating the manifest of the next number, which fails if another publisher has created it. The root is a
//! folder or an object store. This crate knows files and numbers; it does not know Parquet, operations or protocols.
//!
//! Reading order: [`Set`] (the manifest), [`StoredFile`] (reads one file of a table), [`Home`] (sets in a folder), [`Bucket`] (sets
//! in an object store), [`Root`] (either of them behind `--data`), [`Inbox`] (plain files that become sets). [`Ledger`] is a file
//! beside them, or text in a state: what the scans of each session were, as recorded on their day.

mod manifest;
mod error;
mod layout;

mod stored_file;
mod blocks;

mod disk;
mod lock;
mod staging;
mod home;
mod public_lag;
mod retention;
mod admission_record;
mod ledger;

mod bucket;
mod upload;
mod transfer_store;
mod mirror;

mod inbox;
mod plain_file;
mod reference;
mod root;
mod watchdog;

#[cfg(test)]
mod power_cut;

pub use admission_record::AdmissionRecord;
pub use blocks::Blocks;
pub use bucket::Bucket;
pub use disk::{Disk, SystemDisk};
pub use error::SetError;
pub use home::{Draft, Home, NewFile};
pub use inbox::{CopyError, Inbox};
pub use ledger::{Ledger, LedgerEntry, LedgerModel, LedgerPick, ModelVerdict, ScanPicks};
pub use lock::Lock;
pub use manifest::{Publication, Set, SetFile, SetOrigin, SetTable};
pub use mirror::{MirrorCounts, mirror};
pub use plain_file::{FileVersion, PlainFilePart};
pub use public_lag::{MarketLag, PublicLag};
pub use reference::{Reference, SetSelector};
pub use retention::Retention;
pub use root::{DataLocation, Root};
pub use staging::{Staging, is_staged};
pub use stored_file::{OpenStoredFile, StoredFile, TableFiles, hash_of};
pub use transfer_store::{Blob, TransferStore};
