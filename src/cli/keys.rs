//! `parquote keys`: issues, lists and revokes API keys. Running servers apply a change within a second.

use super::output::say;
use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use super::table;
use super::times::{FutureTime, format_time, parse_until};
use crate::access::{
    RandomToken, SYNC_TIME, Secret, UNMETERED, Window, check_one_line, new_sign_in_code, quota_of,
    unix_seconds,
};
use crate::config::StateFile;
use crate::operation::{Quota, Tier};
use crate::state::{CounterRow, KeyChange, KeyRow, NewActivity, NewKey, Store};

/// Arguments of `keys`.
#[derive(Debug, Args)]
pub(super) struct KeysArgs {
    #[command(flatten)]
    state: StateFile,
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Issue a key. Standard output has only the key; it is not shown again.
    Issue(IssueArgs),
    /// List all keys and their usage.
    List {
        /// As JSON, a key a line.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key: it stops working within a second.
    Revoke {
        /// The number that `keys list` shows.
        id: i64,
    },
    /// Replace a key by a new one with the same tier, owner, note, allowance and expiry.
    Rotate {
        /// The number that `keys list` shows.
        id: i64,
        /// How long the old key still works, such as 1d. By default it stops at once.
        #[arg(long, value_name = "TIME", value_parser = parse_until)]
        keep: Option<FutureTime>,
    },
    /// Print a link that signs a browser in with a key, once, within ten minutes. Standard output has only the link.
    Login {
        /// The number that `keys list` shows.
        id: i64,
        /// The address of the server.
        #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
        url: String,
    },
}

#[derive(Debug, Args)]
struct IssueArgs {
    /// The tier: free, premium_web, professional_web, api_pro or api_max.
    #[arg(long, value_name = "TIER")]
    tier: Tier,
    /// The owner of the key.
    #[arg(long, value_name = "NAME")]
    owner: String,
    /// The purpose of the key.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// When it expires: at the end of a date such as 2027-03-31, or after a time such as 90d or 12h.
    #[arg(long, value_name = "DATE|TIME", value_parser = parse_until)]
    expires: Option<FutureTime>,
    /// Requests a day, instead of the tier's own number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(UNMETERED)))]
    day: Option<u32>,
    /// Requests an hour, instead of the tier's own number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(UNMETERED)))]
    hour: Option<u32>,
    /// No limit, for your own use; requests are still counted.
    #[arg(long, conflicts_with_all = ["day", "hour"])]
    unmetered: bool,
    /// An admin key: in the portal it manages the keys of all owners.
    #[arg(long)]
    admin: bool,
}

pub(super) fn run(args: &KeysArgs) -> anyhow::Result<()> {
    let mut store = Store::open(&args.state.state)?;
    let now = unix_seconds();
    match &args.command {
        KeysCommand::Issue(issue) => {
            let (secret, key) = issue.key(now)?;
            let noted = NewActivity {
                detail: format!("{}: {}", key.tier, key.note),
                ..NewActivity::by_command_line(now, &key.owner, "issued a key")
            };
            let id = store.change(&KeyChange::Issue(&key), &noted)?;
            print_new_key(id.context("the key was not stored")?, &key, &secret);
        }
        KeysCommand::List { json } => list(&store, *json, now)?,
        KeysCommand::Revoke { id } => {
            let Some(old) = store.key(*id)? else { bail!(missing_key_message(&store, *id)?) };
            if store.change(&KeyChange::Revoke(*id), &activity_entry(&old, "revoked a key", now))?.is_none() {
                bail!(missing_key_message(&store, *id)?);
            }
            wait_for_servers();
            eprintln!("key {id} is revoked");
        }
        KeysCommand::Rotate { id, keep } => rotate(&mut store, *id, *keep, now)?,
        KeysCommand::Login { id, url } => login(&mut store, *id, url, now)?,
    }
    Ok(())
}

/// Creates the activity-log entry of a change to a key.
fn activity_entry(key: &KeyRow, what: &'static str, now: i64) -> NewActivity {
    let activity = NewActivity::by_command_line(now, &key.owner, what);
    NewActivity { key_id: Some(key.id), detail: key.note.clone(), ..activity }
}

fn login(store: &mut Store, id: i64, url: &str, now: i64) -> anyhow::Result<()> {
    let key = store.key(id)?.with_context(|| format!("there is no key {id}; `keys list` shows all"))?;
    if !key.works(now) {
        bail!("key {id} does not work any more; issue a new one");
    }
    let code = new_sign_in_code(store, id, now)?;
    eprintln!("this link signs in {} with key {id}, once, within ten minutes:", key.owner);
    say!("{}", sign_in_link(url, &code));
    Ok(())
}

/// Returns the sign-in link. The code is after the `#`, which browsers do not send, so that no server log contains it.
pub(super) fn sign_in_link(url: &str, code: &RandomToken) -> String {
    format!("{}/login#{}", url.trim_end_matches('/'), code.reveal())
}

fn rotate(store: &mut Store, id: i64, keep: Option<FutureTime>, now: i64) -> anyhow::Result<()> {
    let old = store.key(id)?.with_context(|| format!("there is no key {id}; `keys list` shows all"))?;
    let (secret, key) = replacement(&old, now)?;
    let until = keep.map_or(now, |keep| keep.after(now));
    let change = KeyChange::Rotate { old: id, new: &key, until };
    let changed = store.change(&change, &activity_entry(&old, "rotated a key", now))?;
    let Some(new) = changed else { bail!(missing_key_message(store, id)?) };
    print_new_key(new, &key, &secret);
    if until > now {
        eprintln!("key {id} works until {}", format_time(until));
    } else {
        eprintln!("key {id} is revoked");
    }
    Ok(())
}

/// Waits until running servers have applied a change, so that a script can use a new key at once.
fn wait_for_servers() {
    std::thread::sleep(SYNC_TIME);
}

impl IssueArgs {
    fn key(&self, now: i64) -> anyhow::Result<(Secret, NewKey)> {
        let expires_at = self.expires.map(|expires| expires.after(now));
        if expires_at.is_some_and(|at| at <= now) {
            bail!("--expires is in the past");
        }
        let unmetered = self.unmetered.then_some(UNMETERED);
        let owner = check_one_line("owner", &self.owner, ", at least one")?;
        let mut key = new_key(self.tier, &owner, now)?;
        key.1.note = check_one_line("note", &self.note, "")?;
        key.1.expires_at = expires_at;
        key.1.quota_day = unmetered.or(self.day);
        key.1.quota_hour = unmetered.or(self.hour);
        key.1.is_admin = self.admin;
        Ok(key)
    }
}

/// Creates a key with the allowance of its tier.
pub(super) fn new_key(tier: Tier, owner: &str, now: i64) -> anyhow::Result<(Secret, NewKey)> {
    let secret = Secret::generate().context("the system gives no randomness to make a key of")?;
    let key = NewKey {
        hash: secret.hash(),
        hint: secret.hint().to_owned(),
        tier: tier.word().to_owned(),
        owner: owner.to_owned(),
        note: String::new(),
        quota_day: None,
        quota_hour: None,
        created_at: now,
        expires_at: None,
        is_admin: false,
        parent: None,
        may_account: false,
    };
    Ok((secret, key))
}

/// Creates a key that replaces an old one.
fn replacement(old: &KeyRow, now: i64) -> anyhow::Result<(Secret, NewKey)> {
    if !old.works(now) {
        bail!("key {} does not work any more; issue a new one", old.id);
    }
    let tier = old.tier.parse::<Tier>().map_err(anyhow::Error::msg)?;
    let (secret, NewKey { hash, hint, created_at, .. }) = new_key(tier, &old.owner, now)?;
    Ok((secret, NewKey { hash, hint, created_at, ..old.key.clone() }))
}

/// Prints a new key. Only the key goes to standard output, for use in scripts.
fn print_new_key(id: i64, key: &NewKey, secret: &Secret) {
    wait_for_servers();
    let until = key.expires_at.map_or_else(String::new, |at| format!(", until {}", format_time(at)));
    eprintln!("key {id} ({}) for {}{until}; it is shown only now:", key.tier, key.owner);
    say!("{}", secret.reveal());
    eprintln!(
        "send it as the header X-Api-Key: curl -H 'X-Api-Key: <API_KEY>' 'http://127.0.0.1:8080/v1/companies' \
         (8080 is the port of a server without --listen; each says its own at its start)"
    );
}

fn missing_key_message(store: &Store, id: i64) -> anyhow::Result<String> {
    Ok(match store.key(id)? {
        Some(_) => format!("key {id} was revoked before"),
        None => format!("there is no key {id}; `keys list` shows all"),
    })
}

fn list(store: &Store, json: bool, now: i64) -> anyhow::Result<()> {
    let counters = store.counters()?;
    let keys = store.keys()?;
    let rows = keys.iter().map(|key| {
        let counter = counters.iter().find(|row| row.usage.key_id == key.id);
        ListedKey { key, counter, now }
    });
    if json {
        rows.for_each(|row| say!("{}", row.json()));
        return Ok(());
    }
    let rows: Vec<_> = rows.map(|row| row.cells()).collect();
    let heads = ["id", "key", "tier", "owner", "today", "this hour", "in all", "last used", "state", "note"];
    print!("{}", table::draw(heads, &rows));
    Ok(())
}

/// A key and its usage.
struct ListedKey<'a> {
    key: &'a KeyRow,
    counter: Option<&'a CounterRow>,
    now: i64,
}

impl ListedKey<'_> {
    fn state(&self) -> String {
        match (self.key.revoked_at, self.key.expires_at) {
            (Some(at), _) => format!("revoked {}", format_time(at)),
            (None, Some(at)) if at <= self.now => format!("expired {}", format_time(at)),
            (None, Some(at)) => format!("works until {}", format_time(at)),
            (None, None) => "works".to_owned(),
        }
    }

    /// Returns the usage of the current day and hour.
    fn present_usage(&self) -> (i64, i64) {
        let window = Window::from_unix(self.now);
        let counted = self.counter.map(|row| row.usage);
        let day = counted.filter(|counted| counted.day == window.day).map_or(0, |counted| counted.day_used);
        let hour =
            counted.filter(|counted| counted.hour == window.hour).map_or(0, |counted| counted.hour_used);
        (day, hour)
    }

    /// Returns the allowance; `None` for an unknown tier.
    fn quota(&self) -> Option<Quota> {
        self.key.tier.parse().ok().map(|tier| quota_of(self.key, tier))
    }

    fn cells(&self) -> [String; 10] {
        let usage = |used: i64, limit: Option<u32>| match limit {
            Some(UNMETERED) | None => used.to_string(),
            Some(limit) => format!("{used} of {limit}"),
        };
        let (day, hour) = self.present_usage();
        let quota = self.quota();
        [
            self.key.id.to_string(),
            format!("{}...", self.key.hint),
            self.key.tier.clone(),
            self.key.owner.clone(),
            usage(day, quota.map(|quota| quota.day)),
            usage(hour, quota.map(|quota| quota.hour)),
            self.counter.map_or(0, |row| row.total).to_string(),
            self.counter.map_or_else(|| "never".to_owned(), |row| format_time(row.last_used_at)),
            self.state(),
            self.key.note.clone(),
        ]
    }

    fn json(&self) -> serde_json::Value {
        let (day, hour) = self.present_usage();
        let quota = self.quota();
        serde_json::json!({
            "id": self.key.id,
            "hint": self.key.hint,
            "tier": self.key.tier,
            "owner": self.key.owner,
            "note": self.key.note,
            "is_admin": self.key.is_admin,
            "parent": self.key.parent,
            "limit_day": quota.map(|quota| quota.day),
            "limit_hour": quota.map(|quota| quota.hour),
            "used_today": day,
            "used_this_hour": hour,
            "used_in_all": self.counter.map_or(0, |row| row.total),
            "last_used_at": self.counter.map(|row| row.last_used_at),
            "created_at": self.key.created_at,
            "expires_at": self.key.expires_at,
            "revoked_at": self.key.revoked_at,
        })
    }
}
