//! Tests of circuit breakers, with a clock that tests set.

use super::*;
use crate::provider::Usage;

const SECOND: Duration = Duration::from_secs(1);

/// Circuit breakers, with a clock that tests set.
struct Fixture {
    breakers: Arc<Breakers>,
    now: Instant,
}

impl Fixture {
    fn new() -> Self {
        Self { breakers: Breakers::new(BreakerSettings::DEFAULT_SETTINGS), now: Instant::now() }
    }

    fn pass(&mut self, seconds: u32) {
        self.now += SECOND * seconds;
    }

    fn admit(&self, key: &str) -> Result<RequestPass, PauseRefusal> {
        self.breakers.admit("openai", &format!("sk-{key}-0000-1111").parse().unwrap(), self.now)
    }

    /// Sends a request that ends with this result after some seconds.
    fn ask(&mut self, key: &str, error: Option<&ProviderError>, seconds: u32) {
        let pass = self.admit(key).unwrap();
        self.pass(seconds);
        pass.record_result(error, self.now);
    }

    /// Returns the seconds until a request is admitted; `None` if a request is admitted now.
    fn paused(&self, key: &str) -> Option<u64> {
        self.admit(key).err().map(|paused| paused.after.as_secs())
    }
}

fn silent() -> ProviderError {
    ProviderError::Silent { provider: "OpenAI".into(), after: SECOND * 300 }
}

fn limited() -> ProviderError {
    ProviderError::Limited { provider: "OpenAI".into(), after: None, message: "slow down, Anu".into() }
}

#[test]
fn a_provider_that_fails_is_paused_for_longer_each_time_until_it_replies() {
    let mut fixture = Fixture::new();
    for _ in 0..4 {
        fixture.ask("anu", Some(&silent()), 300);
    }
    assert_eq!(fixture.paused("bo"), None);
    fixture.ask("bo", Some(&silent()), 300);
    let paused = fixture.admit("cy").unwrap_err();
    assert_eq!(paused.what, "5 requests to it failed in a row, the last with no reply within 300 s");
    assert_eq!(paused.after, SECOND * 30);
    fixture.pass(20);
    assert_eq!(fixture.paused("cy"), Some(10));
    fixture.pass(10);
    // The probe decides; meanwhile the others still fail at once.
    let probe = fixture.admit("anu").unwrap();
    assert_eq!(fixture.paused("bo"), Some(30));
    fixture.pass(300);
    probe.record_result(Some(&silent()), fixture.now);
    for pause in [60, 120, 240, 480, 600, 600] {
        assert_eq!(fixture.paused("bo"), Some(pause));
        fixture.pass(pause as u32);
        fixture.ask("bo", Some(&silent()), 1);
    }
    fixture.pass(600);
    fixture.ask("bo", None, 2);
    // Both are let through, and the next pause takes as many failures as the first.
    let both = (fixture.admit("anu").unwrap(), fixture.admit("bo").unwrap());
    drop(both);
    for _ in 0..4 {
        fixture.ask("anu", Some(&silent()), 300);
    }
    assert_eq!(fixture.paused("bo"), None);
}

#[test]
fn a_request_that_is_given_up_leaves_the_decision_to_the_next() {
    let mut fixture = Fixture::new();
    for _ in 0..5 {
        fixture.ask("anu", Some(&silent()), 10);
    }
    fixture.pass(30);
    drop(fixture.admit("anu").unwrap());
    fixture.ask("bo", None, 1);
    assert_eq!(fixture.paused("anu"), None);
}

#[test]
fn failures_of_a_few_seconds_and_replies_between_them_pause_nothing() {
    let mut fixture = Fixture::new();
    for _ in 0..50 {
        fixture.ask("anu", Some(&ProviderError::Cut("OpenAI".into())), 0);
    }
    assert_eq!(fixture.paused("anu"), None);
    for _ in 0..50 {
        fixture.ask("bo", None, 1);
        fixture.ask("anu", Some(&silent()), 300);
    }
    assert_eq!(fixture.paused("anu"), None);
    let off = Breakers::new(BreakerSettings { failures: 0, ..BreakerSettings::DEFAULT_SETTINGS });
    let mut fixture = Fixture { breakers: off, ..fixture };
    for _ in 0..50 {
        fixture.ask("anu", Some(&silent()), 300);
    }
    assert_eq!(fixture.paused("anu"), None);
}

#[test]
fn what_is_the_fault_of_a_key_pauses_that_key_alone() {
    let refused = |status| ProviderError::Refused {
        provider: "OpenAI".into(),
        status,
        message: String::new(),
        usage: Usage::default(),
    };
    let key_refused = ProviderError::KeyRefused { provider: "OpenAI".into(), message: String::new() };
    for (error, words) in
        [(limited(), "status 429"), (refused(402), "status 402"), (key_refused, "a refusal of the key")]
    {
        let mut fixture = Fixture::new();
        for _ in 0..5 {
            fixture.ask("anu", Some(&error), 10);
        }
        let paused = fixture.admit("anu").unwrap_err();
        assert_eq!(paused.what, format!("5 requests with this key failed in a row, the last with {words}"));
        assert_eq!(fixture.paused("bo"), None);
        // A failing provider says nothing about the key: the next request decides.
        fixture.pass(30);
        fixture.ask("anu", Some(&silent()), 1);
        fixture.ask("anu", None, 1);
        assert_eq!(fixture.paused("anu"), None);
    }
    // An invalid request is no fault of provider or key.
    let mut fixture = Fixture::new();
    for _ in 0..50 {
        fixture.ask("anu", Some(&refused(400)), 10);
    }
    assert_eq!(fixture.paused("anu"), None);
}

/// Maximum wait for a probe, which no test reaches.
const MAX_WAIT: Duration = Duration::from_hours(1);

/// Builds a provider with an outage of this length, at the end of its pause.
fn out_for(seconds: u32) -> Fixture {
    let mut fixture = Fixture::new();
    let began = fixture.now;
    while fixture.now - began < SECOND * seconds || fixture.paused("anu").is_none() {
        match fixture.paused("anu") {
            Some(left) => fixture.pass(left as u32),
            None => fixture.ask("anu", Some(&silent()), 10),
        }
    }
    let left = fixture.paused("anu").unwrap_or_default();
    fixture.pass(left as u32);
    fixture
}

/// Sends three requests of one run concurrently, each with its scripted result; returns true for each that was admitted.
async fn at_once(fixture: &Fixture, ends: [Option<&ProviderError>; 3]) -> [bool; 3] {
    let now = fixture.now;
    let key: ProviderKey = "sk-anu-0000-1111".parse().unwrap();
    let clock = move || now;
    let ask = async |end: Option<&ProviderError>| {
        let pass = fixture.breakers.wait_for_admission("openai", &key, MAX_WAIT, &clock).await;
        // The others have requested before the probe ends.
        tokio::task::yield_now().await;
        pass.map(|pass| pass.record_result(end, now)).is_ok()
    };
    let (one, two, three) = futures::join!(ask(ends[0]), ask(ends[1]), ask(ends[2]));
    [one, two, three]
}

#[tokio::test]
async fn after_an_outage_the_others_wait_for_the_probe_and_the_provider_is_asked_again() {
    for outage_s in [30, 300, 3_600] {
        let fixture = out_for(outage_s);
        assert_eq!(at_once(&fixture, [None; 3]).await, [true; 3], "{outage_s}");
        assert_eq!(fixture.paused("bo"), None);
        // Slow recovery: the probe fails, and the waiting requests are refused instead of sent.
        let fixture = out_for(outage_s);
        assert_eq!(at_once(&fixture, [Some(&silent()), None, None]).await, [true, false, false]);
        let fixture = Fixture { now: fixture.now + SECOND * 600, ..fixture };
        assert_eq!(at_once(&fixture, [None; 3]).await, [true; 3], "{outage_s}");
    }
}

#[tokio::test]
async fn a_run_that_ends_in_the_middle_of_the_probe_leaves_its_place_to_one_that_waits() {
    let fixture = out_for(300);
    let now = fixture.now;
    let probe = fixture.admit("anu").unwrap();
    let key: ProviderKey = "sk-bo-0000-1111".parse().unwrap();
    let clock = move || now;
    let waits = fixture.breakers.wait_for_admission("openai", &key, MAX_WAIT, &clock);
    let ends = async { drop(probe) };
    let (pass, ()) = futures::join!(waits, ends);
    pass.unwrap().record_result(None, now);
    assert_eq!(fixture.paused("anu"), None);
    // No request waits longer than its limit.
    let fixture = out_for(300);
    let _probe = fixture.admit("anu").unwrap();
    let now = fixture.now;
    let clock = move || now;
    let paused = fixture.breakers.wait_for_admission("openai", &key, Duration::ZERO, &clock).await;
    assert!(paused.unwrap_err().is_probed);
}

#[test]
fn a_key_that_is_paused_takes_no_probe_of_its_provider_and_a_passed_test_ends_both_pauses() {
    let mut fixture = out_for(30);
    for _ in 0..5 {
        // A limited key, while its provider is still paused for others.
        let breaker = Circuit::Key("openai".to_owned(), *blake3::hash(b"sk-bo-0000-1111").as_bytes());
        fixture.breakers.record_failure(&breaker, false, fixture.now, fixture.now + SECOND * 40, &limited());
    }
    fixture.pass(40);
    assert!(fixture.paused("bo").is_some());
    let probe = fixture.admit("anu").unwrap();
    assert!(fixture.admit("cy").unwrap_err().is_probed);
    fixture.breakers.close("openai", &"sk-bo-0000-1111".parse().unwrap());
    assert_eq!((fixture.paused("bo"), fixture.paused("cy")), (None, None));
    drop(probe);
}
