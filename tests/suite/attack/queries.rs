//! One key asks for sorts of a million rows, fifty at a time: whoever else is there goes on as before, and gets a turn.

use std::time::Instant;

use super::victim::Victim;
use crate::demo_market::RUNTIME;

#[test]
fn fifty_heavy_queries_of_one_key_hold_up_nobody() {
    let victim = Victim::start(&[]);
    // One that is kept, and a document.
    victim.withstands(&["/v1/market/sectors", "/v1/status"], || victim.heavy_queries(50));
}

#[test]
fn the_first_query_of_a_key_waits_for_no_more_than_those_that_run() {
    let victim = Victim::start(&["--deadline-ms", "120000"]);
    let time = || {
        let (path, began) = (victim.heavy(), Instant::now());
        RUNTIME.block_on(async {
            let reply = victim.honest(&path).await;
            assert_eq!(reply.status(), 200, "{}", reply.text().await.unwrap());
        });
        began.elapsed().as_secs_f64()
    };
    let idle = (0..3).map(|_| time()).fold(f64::INFINITY, f64::min);
    let attack = victim.heavy_queries(50);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let attacked = time();
    drop(attack);
    // Fifty would take 25 times as long on two cores; a third of the threads takes three times as long, and the wait for
    // one that runs as long again.
    assert!(attacked <= 8.0 * idle, "{attacked} s instead of {idle} s");
}

#[test]
fn more_queries_than_may_wait_are_told_to_come_back() {
    let victim = Victim::start(&["--query-threads", "2", "--queries-per-key", "1", "--queries-waiting", "2"]);
    let paths: Vec<String> = (0..12).map(|_| victim.heavy()).collect();
    let replies = RUNTIME.block_on(async {
        let asked = futures::future::join_all(paths.iter().map(|path| victim.hostile(path)));
        let (replies, honest) = futures::future::join(asked, victim.honest("/v1/heavy?salt=999999")).await;
        assert_eq!(honest.status(), 200);
        replies
    });
    let (answered, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status() == 200);
    assert!(answered.len() >= 3 && refused.len() >= 6, "{} answered", answered.len());
    for reply in refused {
        assert_eq!((reply.status().as_u16(), reply.headers()["retry-after"].to_str().unwrap()), (503, "1"));
        let words = RUNTIME.block_on(reply.text()).unwrap();
        assert!(words.contains("2 queries of this key wait for their turn"), "{words}");
    }
}

#[test]
fn the_deadline_counts_the_wait() {
    let victim = Victim::start(&["--query-threads", "1", "--deadline-ms", "1500"]);
    let began = Instant::now();
    let paths: Vec<String> = (0..30).map(|_| victim.heavy()).collect();
    let replies = RUNTIME.block_on(futures::future::join_all(paths.iter().map(|path| victim.hostile(path))));
    let given_up = replies.iter().filter(|reply| reply.status() == 503).count();
    assert!(given_up > 0, "all were answered");
    // One after another they would take far longer than this, even on the fastest of machines.
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    // What callers left goes out of the queue, so that the next one is answered.
    assert_eq!(RUNTIME.block_on(victim.honest(&victim.heavy())).status(), 200);
}
