//! Deadlines and memory limits: a query that exceeds one is cancelled with a 503 and a message, and the next one is answered.

use std::time::{Duration, Instant};

use parquote::call::CallOptions;
use parquote::engine::QueryLimits;
use parquote::operation::Offer;

use crate::demo_market::{LITTLE, SHIPPED, few_operations, open_with};
use crate::server::Server;

/// Pairs of pairs of stocks: a hundred million rows in one sum.
const HEAVY: &str = r#"-- Something that takes long.
-- tool:   heavy
-- tier:   free
-- group:  Core
-- answer: list
-- param:  limit int = 1 in 1..10 "Rows to return."
-- column: rank_sum number "A sum."
SELECT SUM((a.volume + b.volume) % 7 + (c.volume + d.volume) % 5) * 1.0 AS rank_sum
FROM   stocks a
CROSS  JOIN stocks b
CROSS  JOIN stocks c
CROSS  JOIN stocks d
LIMIT  $limit
"#;

/// All pairs of stocks, sorted.
const WIDE: &str = r#"-- Something that needs memory.
-- tool:   wide
-- tier:   free
-- group:  Core
-- answer: list
-- param:  limit int = 1 in 1..50000 "Rows to return."
-- column: company_name text "Two names."
SELECT a.company_name || b.company_name AS company_name
FROM   stocks a
CROSS  JOIN stocks b
ORDER  BY a.company_name || b.company_name
LIMIT  $limit
"#;

fn server(limits: QueryLimits) -> Server {
    let own = [("api/heavy.sql", HEAVY), ("api/wide.sql", WIDE)];
    let catalogue = few_operations(&["market/breadth", "market/sectors", "status"], &own).unwrap();
    let snapshot = open_with(&catalogue, SHIPPED.data.to_str().unwrap(), &limits).unwrap();
    Server::start(&catalogue, snapshot)
}

#[test]
fn a_query_over_its_deadline_is_given_up_in_time() {
    let server = server(QueryLimits { deadline: Duration::from_millis(700), ..QueryLimits::default() });
    for _ in 0..2 {
        let began = Instant::now();
        let reply = server.get("heavy");
        assert_eq!(reply.status, 503, "{}", String::from_utf8_lossy(&reply.body));
        assert!(reply.message().contains("700 ms"), "{}", reply.message());
        assert_eq!(reply.header("retry-after"), "5");
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        // On a busy machine even a short query reaches this deadline, and is planned at the next attempt.
        let mut others = std::iter::repeat_with(|| server.get("market/sectors")).take(10);
        assert!(others.any(|other| other.status == 200));
    }
}

#[test]
fn no_deadline_at_all_is_no_hang() {
    let server = server(QueryLimits { deadline: Duration::ZERO, ..QueryLimits::default() });
    let reply = server.get("heavy");
    assert_eq!(reply.status, 503, "{}", String::from_utf8_lossy(&reply.body));
    assert_eq!(server.get("status").status, 200);
}

#[test]
fn a_query_over_its_memory_is_given_up_in_words() {
    for limits in [
        QueryLimits { query_bytes: 1 << 20, ..QueryLimits::default() },
        QueryLimits { total_bytes: 1 << 20, ..QueryLimits::default() },
    ] {
        let server = server(limits);
        for _ in 0..3 {
            let reply = server.get("wide?limit=50000");
            assert_eq!(reply.status, 503, "{}", String::from_utf8_lossy(&reply.body));
            assert!(reply.message().contains("memory"), "{}", reply.message());
            assert_eq!(server.get("market/breadth?days=5").status, 200);
        }
    }
}

/// The memory of a failed query is released: the shared pool is as large as before.
#[test]
fn memory_is_given_back() {
    let server = server(QueryLimits {
        total_bytes: 24 << 20,
        query_bytes: 24 << 20,
        cache_bytes: 0,
        ..QueryLimits::default()
    });
    let first = server.get("wide?limit=20000");
    for round in 0..20 {
        let reply = server.get("wide?limit=20000");
        assert_eq!(reply.status, first.status, "round {round}: {}", reply.message());
    }
}

#[test]
fn without_room_for_answers_and_plans_it_still_answers() {
    let catalogue = few_operations(&["companies"], &[]).unwrap();
    let limits = QueryLimits { cache_bytes: 0, plan_bytes: 0, ..QueryLimits::default() };
    let snapshot = open_with(&catalogue, LITTLE.data.to_str().unwrap(), &limits).unwrap();
    let server = Server::start(&catalogue, snapshot);
    let first = server.get("companies?limit=5");
    for _ in 0..5 {
        assert_eq!(server.get("companies?limit=5").body, first.body);
    }
}

#[test]
fn a_caller_who_leaves_does_no_harm() {
    let server = server(QueryLimits { deadline: Duration::from_secs(20), ..QueryLimits::default() });
    crate::demo_market::RUNTIME.block_on(async {
        let operation = server.service().catalogue().operation("heavy").unwrap();
        let caller = parquote::call::Caller::unmetered();
        for _ in 0..3 {
            let metered = server.service().enter(operation, &caller).await.unwrap();
            let call =
                server.service().admit(&metered, [], CallOptions::new(Offer::ENVELOPED)).await.unwrap();
            let ran = tokio::time::timeout(Duration::from_millis(20), server.service().run(&call)).await;
            assert!(ran.is_err());
        }
    });
    assert_eq!(server.get("market/sectors").status, 200);
}
