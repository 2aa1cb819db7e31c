//! Load over real connections, for benches: the server and its callers have one thread each; the server is busier, so its speed is
//! measured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parquote::access::{Secret, UNMETERED, unix_seconds};
use parquote::call::Service;
use parquote::http::{HttpSettings, router, serve};
use parquote::operation::Tier;
use parquote::state::{NewKey, Store};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::connection::Connection;

/// The runtimes of the server and of the callers.
pub(crate) struct Load {
    pub(crate) server: Runtime,
    callers: Runtime,
}

/// The result of one turn.
pub(crate) struct Turn {
    /// Requests a second.
    pub(crate) rate: f64,
    /// Processor time of the server per request, in microseconds; 0 if the system does not report it.
    pub(crate) cost_us: f64,
}

impl Load {
    pub(crate) fn open() -> anyhow::Result<Self> {
        let one_thread = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Ok(Self { server: one_thread()?, callers: one_thread()? })
    }

    /// Starts serving a service.
    pub(crate) fn listen(&self, service: Service, settings: HttpSettings) -> anyhow::Result<SocketAddr> {
        let listener = self.server.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let routes = router(Arc::new(service), settings);
        self.server.spawn(serve(listener, routes, std::future::pending()));
        Ok(address)
    }

    /// Returns one reply, head and body.
    pub(crate) fn reply(&self, address: SocketAddr, request: &[u8]) -> anyhow::Result<String> {
        self.callers
            .block_on(async { Ok(Connection::open(address).await?.exchange(request).await?.to_owned()) })
    }

    /// Repeats a request over several connections, each sending as soon as it has the previous reply.
    pub(crate) fn turn(
        &self,
        address: SocketAddr,
        request: &Arc<[u8]>,
        (connections, length): (usize, Duration),
    ) -> anyhow::Result<Turn> {
        let (began, before) = (Instant::now(), self.processor_ns()?);
        let caller = |_| self.callers.spawn(caller(address, Arc::clone(request), began + length));
        let callers: Vec<_> = (0..connections).map(caller).collect();
        let mut answered = 0;
        for caller in callers {
            answered += self.callers.block_on(caller)??;
        }
        let nanoseconds = self.processor_ns()?.saturating_sub(before) as f64;
        let answered = f64::from(answered);
        Ok(Turn { rate: answered / began.elapsed().as_secs_f64(), cost_us: nanoseconds / answered / 1_000.0 })
    }

    /// Returns the processor time of the server's thread, in nanoseconds; 0 if the system does not report it.
    fn processor_ns(&self) -> anyhow::Result<u64> {
        let read = async { std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default() };
        let text = self.server.block_on(self.server.spawn(read))?;
        Ok(text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0))
    }
}

/// Returns the number of replies on one connection.
async fn caller(address: SocketAddr, request: Arc<[u8]>, until: Instant) -> anyhow::Result<u32> {
    let mut connection = Connection::open(address).await?;
    let mut answered = 0;
    while Instant::now() < until {
        connection.exchange(&request).await?;
        answered += 1;
    }
    Ok(answered)
}

/// Issues a key with an unlimited allowance.
pub(crate) fn new_key(store: &mut Store) -> anyhow::Result<Secret> {
    let secret = Secret::generate()?;
    store.insert_key(&NewKey {
        hash: secret.hash(),
        hint: secret.hint().to_owned(),
        tier: Tier::ApiMax.word().to_owned(),
        owner: "bench".to_owned(),
        note: String::new(),
        quota_day: Some(UNMETERED),
        quota_hour: Some(UNMETERED),
        created_at: unix_seconds(),
        expires_at: None,
        is_admin: false,
        parent: None,
        may_account: false,
    })?;
    Ok(secret)
}

/// Returns the mean of the better (larger) half, which excludes turns disturbed by other work.
pub(crate) fn best_half(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let best = numbers.get(numbers.len() / 2..).unwrap_or_default();
    best.iter().sum::<f64>() / best.len() as f64
}
