//! Load over real connections, for benches: a server and its callers have a thread each, so that what is measured is the server's, as
//! it is the busier one.

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

/// The threads of both.
pub(crate) struct Load {
    pub(crate) server: Runtime,
    callers: Runtime,
}

/// What one turn came to.
pub(crate) struct Turn {
    /// Requests a second.
    pub(crate) rate: f64,
    /// What a request took of the server's processor; 0 where the system does not say.
    pub(crate) cost_us: f64,
}

impl Load {
    pub(crate) fn open() -> anyhow::Result<Self> {
        let one_thread = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Ok(Self { server: one_thread()?, callers: one_thread()? })
    }

    /// Listens with a service.
    pub(crate) fn listen(&self, service: Service, settings: HttpSettings) -> anyhow::Result<SocketAddr> {
        let listener = self.server.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let routes = router(Arc::new(service), settings);
        self.server.spawn(serve(listener, routes, std::future::pending()));
        Ok(address)
    }

    /// One reply, head and body.
    pub(crate) fn reply(&self, address: SocketAddr, request: &[u8]) -> anyhow::Result<String> {
        self.callers
            .block_on(async { Ok(Connection::open(address).await?.exchange(request).await?.to_owned()) })
    }

    /// Sends the same request again and again over so many connections, each as soon as it has the reply to the last.
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

    /// The time that the server's one thread was on a processor; 0 where the system does not say.
    fn processor_ns(&self) -> anyhow::Result<u64> {
        let read = async { std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default() };
        let text = self.server.block_on(self.server.spawn(read))?;
        Ok(text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0))
    }
}

/// How many replies one connection got.
async fn caller(address: SocketAddr, request: Arc<[u8]>, until: Instant) -> anyhow::Result<u32> {
    let mut connection = Connection::open(address).await?;
    let mut answered = 0;
    while Instant::now() < until {
        connection.exchange(&request).await?;
        answered += 1;
    }
    Ok(answered)
}

/// Issues a key whose calls nobody bounds.
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

/// The mean of the better half: of the larger numbers. A turn in which the machine did something else does not count.
pub(crate) fn best_half(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let best = numbers.get(numbers.len() / 2..).unwrap_or_default();
    best.iter().sum::<f64>() / best.len() as f64
}
