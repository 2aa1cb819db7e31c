//! Checks the guide to limits against the settings: every setting in the guide exists and has the stated default.

use clap::{Command, CommandFactory};

use super::Cli;
use crate::surface::guides::guides;

/// A limit in the guide: its setting, and the first number of its default with the unit.
struct Row {
    command: &'static str,
    flag: String,
    default: String,
}

fn rows() -> Vec<Row> {
    let guide = guides().find(|guide| guide.name == "limits").unwrap();
    let cells = guide.text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let setting = cells.get(2)?.strip_prefix('`')?.strip_suffix('`')?;
        let (command, flag) = setting.split_once("--")?;
        let command = if command.trim() == "derive" { "derive" } else { "serve" };
        Some(Row { command, flag: flag.to_owned(), default: cells.get(1)?.replace(',', "") })
    });
    cells.collect()
}

/// Returns the default of a setting, in the guide's unit.
fn default_of(command: &Command, flag: &str) -> Option<String> {
    let setting = command.get_arguments().find(|setting| setting.get_long() == Some(flag));
    let setting = setting.unwrap_or_else(|| panic!("`{} --{flag}` is no setting", command.get_name()));
    let default = setting.get_default_values().first()?.to_str().unwrap();
    let unit = match flag.rsplit_once('-') {
        Some((_, "ms")) => return Some(format!("{} s", default.parse::<u64>().unwrap() / 1_000)),
        Some((_, "mib")) => " MiB",
        Some((_, "gib")) => " GiB",
        _ => "",
    };
    Some(format!("{default}{unit}"))
}

#[test]
fn settings_are_there_with_the_defaults_that_the_guide_says() {
    let rows = rows();
    assert!(rows.len() > 15, "only {} settings are named", rows.len());
    let cli = Cli::command();
    for Row { command, flag, default } in rows {
        let command = cli.find_subcommand(command).unwrap();
        match default_of(command, &flag) {
            Some(known) => assert!(
                default == known
                    || default.starts_with(&format!("{known}; "))
                    || default.starts_with(&format!("{known} ")),
                "--{flag}: {default} in the guide, {known} in the program"
            ),
            // Defaults that depend on the machine or another setting are described in words.
            None => assert!(
                default.parse::<f64>().is_err(),
                "--{flag} has no default, and the guide says {default}"
            ),
        }
    }
}
