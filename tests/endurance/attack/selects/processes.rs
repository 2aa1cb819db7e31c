//! The processes of the attacked server: their memory and processor time.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A process's unshared memory, without shared pages of the program.
pub(super) const OWN: &str = "RssAnon";

/// A process with all its descendants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Processes(pub u32);

impl Processes {
    /// Returns their ids, beginning with the process itself.
    pub(super) fn all(self) -> Vec<u32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let parents: Vec<(u32, u32)> =
            numbers.filter_map(|process| Some((process, stat(process)?.get(1)?.parse().ok()?))).collect();
        let (mut all, mut at) = (vec![self.0], 0);
        while let Some(parent) = all.get(at).copied() {
            all.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
            at += 1;
        }
        all
    }

    /// Returns the sum of a memory figure, in bytes.
    pub(super) fn memory(self, figure: &str) -> u64 {
        let of = |process: u32| {
            let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
            let line = status.lines().find(|line| line.starts_with(figure))?;
            Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
        };
        self.all().into_iter().filter_map(of).sum()
    }

    /// Returns their processor time, including ended ones.
    pub(super) fn processor_time(self) -> Duration {
        let of = |process: u32| {
            Some(stat(process)?.get(11..15)?.iter().flat_map(|it| it.parse::<u64>()).sum::<u64>())
        };
        let ticks: u64 = self.all().into_iter().filter_map(of).sum();
        Duration::from_millis(ticks * 10)
    }
}

/// Returns the fields of `/proc/N/stat` after the name.
fn stat(process: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// Samples memory continuously, because an ended process takes its peak with it.
pub(super) struct Peak {
    over: Arc<AtomicBool>,
    watching: std::thread::JoinHandle<u64>,
}

impl Peak {
    pub(super) fn watch(processes: Processes) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&over);
        let watching = std::thread::spawn(move || {
            let mut most = 0;
            while !until.load(Ordering::Relaxed) {
                most = most.max(processes.memory(OWN));
                std::thread::sleep(Duration::from_millis(10));
            }
            most
        });
        Self { over, watching }
    }

    pub(super) fn most(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        self.watching.join().unwrap()
    }
}
