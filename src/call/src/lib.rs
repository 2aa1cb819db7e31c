//! The path of every call, from any adapter: key -> tier -> quota -> arguments -> run -> reply.
//!
//! Protocol adapters use this; none has rules itself. An adapter identifies the caller, enters, admits, runs, and settles the cost of the
//! call; each step needs the result of the previous one, so none can be omitted.

mod access_refusal;
mod admitted;
mod answering;
mod audience;
mod caller;
mod covered;
mod entering;
mod fair_queue;
mod hints;
mod exported_files;
mod metered_call;
mod watchlists;
mod billed_work;
mod earlier_sets;
mod payer;
mod pictures;
mod pinned;
mod processor_time;
mod query_threads;
mod queue_figures;
mod renamed;
mod running_answers;
mod signed_in;
mod source_terms;
mod tools;
mod unchecked;

use std::sync::Arc;

use chrono::Utc;

pub use self::admitted::{Call, DataVersion, is_invented};
use self::answering::AnswerInputs;
pub use self::audience::PublicTiers;
use self::billed_work::SelectQueue;
pub use self::caller::{Caller, LOCAL_OWNER};
use self::covered::CoverageCache;
pub use self::covered::FigureCoverage;
use self::earlier_sets::EarlierSets;
pub use self::exported_files::{ExportedFile, ExportedFiles, FILE_LIFETIME};
use self::fair_queue::FairQueue;
use self::hints::{Hints, OperationNaming};
pub use self::metered_call::MeteredCall;
use self::payer::Payer;
use self::pictures::PngQueue;
pub use self::pinned::{Pin, UnchangedAnswer, markets_of_select};
use self::processor_time::ProcessorTime;
pub use self::query_threads::{QueryThreadSettings, QueryThreads};
pub use self::queue_figures::{QueueFigures, WaitFigures};
pub use self::renamed::SymbolRenames;
pub use self::signed_in::SignedIn;
pub use self::source_terms::{OperationTerms, OwnerTerms, SourceTerms};
pub use self::tools::ToolRunners;
use self::unchecked::UncheckedCall;
use parquote_access::AccessControl;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{
    AnswerFormat, Arguments, Catalogue, Offer, Operation, Param, Presentation, Tier, Violation,
};
use parquote_engine::{Deadline, EncodedAnswer, Snapshot};
use parquote_handlers::{Handler, Handlers};
use parquote_refresh::Snapshots;

/// Name of the one operation that is not a call: a health payload which is the same for everyone.
pub const STATUS: &str = "status";

/// Version of the contract: of routes, parameters and answers. The program has a separate version.
pub const CONTRACT_VERSION: &str = "1.0.0";

/// Health payload: static, as the contract requires.
pub const HEALTH: &str = r#"{"status":"ok","version":"1.0.0","service":"parquote","docs":"/v1/docs"}"#;

/// The service that adapters call: the catalogue, the current snapshot, and access control.
pub struct Service {
    catalogue: Arc<Catalogue>,
    snapshots: Arc<Snapshots>,
    public: PublicTiers,
    terms: Arc<SourceTerms>,
    access: Option<Arc<AccessControl>>,
    /// Number of the key by which guests are counted, and their tier; `None` without guests.
    guests: Option<(i64, Tier)>,
    handlers: Arc<Handlers>,
    /// Coverage of answers, by snapshot, operation and arguments.
    coverages: Arc<CoverageCache>,
    /// The query threads; `None` for a single caller, who uses all threads.
    threads: Option<Arc<QueryThreads>>,
    pngs: PngQueue,
    /// Queue of calls that wait for sets to be opened.
    openings: Arc<FairQueue>,
    files: Arc<ExportedFiles>,
    /// The processes and the queue of user-written SELECTs; `None` if SELECTs do not run in processes.
    selects: Option<SelectQueue>,
    /// Payer of the work in parts of an admitted call; `None` if each call pays for itself.
    payer: Option<Payer>,
    /// The snapshot that the caller sees without a pin, in a service for parts of a call; `None` if `snapshots` has it.
    served: Option<Arc<Snapshot>>,
    /// The sets of earlier days that the caller may read, in a service for parts of a call; `None` if `snapshots` has them.
    past: Option<EarlierSets>,
}

/// Formats that an adapter offers for a call, its pinned set, and the range of its rows.
#[derive(Debug, Clone, Copy)]
pub struct CallOptions<'a> {
    /// Formats that the adapter can write.
    pub offer: Offer,
    /// Set to which the caller is pinned, unless an argument names another.
    pub pin: Option<Pin<'a>>,
    /// True for all matching rows, regardless of the limit and the offset among the arguments.
    pub is_whole: bool,
}

impl CallOptions<'_> {
    /// Builds options without a pinned set.
    pub const fn new(offer: Offer) -> Self {
        Self { offer, pin: None, is_whole: false }
    }
}

impl Service {
    /// Builds a service that answers everyone from this snapshot, without access control.
    pub fn new(catalogue: Arc<Catalogue>, snapshot: Snapshot) -> Self {
        Self::with_snapshots(catalogue, Arc::new(Snapshots::from_snapshot(snapshot)))
    }

    /// Builds a service over snapshots that are replaced.
    pub fn with_snapshots(catalogue: Arc<Catalogue>, snapshots: Arc<Snapshots>) -> Self {
        let handlers = Arc::new(Handlers::for_snapshot());
        let (pngs, openings) = (PngQueue::new(), FairQueue::new(pinned::OPENINGS));
        let (public, terms) = (PublicTiers::default(), Arc::default());
        Self {
            catalogue,
            snapshots,
            public,
            terms,
            access: None,
            guests: None,
            handlers,
            coverages: covered::empty_cache(),
            threads: None,
            pngs,
            openings,
            files: Arc::default(),
            selects: None,
            payer: None,
            served: None,
            past: None,
        }
    }

    /// Returns the service behind access control: callers need a key, and are limited by its quota.
    #[must_use]
    pub fn with_access_control(self, access: Arc<AccessControl>) -> Self {
        Self { access: Some(access), ..self }
    }

    /// Returns the service with guests of a tier, who read pages without a key and are counted by the key of this number.
    #[must_use]
    pub fn with_guests(self, key: i64, tier: Tier) -> Self {
        Self { guests: Some((key, tier)), ..self }
    }

    /// Returns the service with the handlers of operations.
    #[must_use]
    pub fn with_handlers(self, handlers: Arc<Handlers>) -> Self {
        Self { handlers, ..self }
    }

    /// Returns the service with queries on separate threads, which callers use in turn.
    #[must_use]
    pub fn on_threads(self, threads: Arc<QueryThreads>) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Returns true if an operation mostly waits for I/O, such as a provider or the state file, instead of computing.
    pub fn waits_for_io(&self, operation: &Operation) -> bool {
        self.handler_of(operation).is_some_and(|handler| handler.waits_for_io())
    }

    /// Returns the handler of an operation; `None` if it has none, or if the handler is not available.
    fn handler_of(&self, operation: &Operation) -> Option<&Arc<dyn Handler>> {
        self.handlers.get(operation.run.as_deref()?)
    }

    /// Returns all operations and tables.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// Returns the exported files.
    pub fn files(&self) -> &ExportedFiles {
        &self.files
    }

    /// Returns the queues by name: of queries, if they have separate threads, of pictures, and of user-written SELECTs.
    pub fn queues(&self) -> impl Iterator<Item = (&'static str, QueueFigures)> {
        let queries = self.threads.as_ref().map(|threads| ("queries", threads.figures()));
        let selects = self.selects.as_ref().map(|selects| ("own_selects", selects.figures().0));
        queries.into_iter().chain([("pictures", self.pngs.figures())]).chain(selects)
    }

    /// Admits the arguments of a call, including the format and the fields of the answer; the adapter offers the formats that it can write.
    ///
    /// # Errors
    /// 400 with every violation; 403 for a symbol that the key may not request; 404 for a symbol that the market does not have; 410 for a
    /// set that is gone; 429 or 503 for a set that cannot be opened now.
    pub async fn admit<'a>(
        &self,
        metered: &MeteredCall,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        options: CallOptions<'_>,
    ) -> Result<Call, ClientError> {
        let (arguments, presentation) = self.parse_call(metered, pairs, options.offer, |_| true)?;
        let presentation = if options.is_whole { presentation.whole() } else { presentation };
        self.admitted_call(metered, arguments, presentation, options.pin, OperationNaming::Rest).await
    }

    /// Admits a picture that a tool draws, as [`Service::admit`]; refusals name tools.
    ///
    /// # Errors
    /// As [`Service::admit`].
    pub async fn admit_drawing<'a>(
        &self,
        metered: &MeteredCall,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        options: CallOptions<'_>,
    ) -> Result<Call, ClientError> {
        let (arguments, presentation) = self.parse_call(metered, pairs, options.offer, |_| true)?;
        self.admitted_call(metered, arguments, presentation, options.pin, OperationNaming::Tools).await
    }

    /// Admits the operation as a tool, as [`Service::admit`]; REST-only parameters are unknown.
    ///
    /// # Errors
    /// As [`Service::admit`].
    pub async fn admit_tool<'a>(
        &self,
        metered: &MeteredCall,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        options: CallOptions<'_>,
    ) -> Result<Call, ClientError> {
        let offered = |param: &Param| !param.rest_only;
        let (arguments, presentation) = self.parse_call(metered, pairs, options.offer, offered)?;
        self.admitted_call(metered, arguments, presentation, options.pin, OperationNaming::Tools).await
    }

    fn parse_call<'a>(
        &self,
        metered: &MeteredCall,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        offer: Offer,
        offered: fn(&Param) -> bool,
    ) -> Result<(Arguments, Presentation), ClientError> {
        let operation = metered.operation();
        let (shared, declared): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(name, _)| operation.is_presented_with(name, offer));
        if offer.has_pictures() {
            pictures::refuse_without_picture(&self.catalogue, operation, &shared)?;
        }
        let presentation = Presentation::parse(&shared, operation.offer_for(offer));
        let arguments = Arguments::parse_offered(operation, metered.tier(), declared, offered);
        match (arguments, presentation) {
            (Ok(arguments), Ok(presentation)) => Ok((arguments, presentation)),
            (arguments, presentation) => {
                let violations = [arguments.err(), presentation.err()].into_iter().flatten().flatten();
                let violations = violations.map(|Violation { param, message }| (param, message));
                Err(ClientError::invalid(ErrorKind::BadRequest, violations.collect()))
            }
        }
    }

    async fn admitted_call(
        &self,
        metered: &MeteredCall,
        arguments: Arguments,
        presentation: Presentation,
        pin: Option<Pin<'_>>,
        naming: OperationNaming,
    ) -> Result<Call, ClientError> {
        let called = metered.operation();
        let market = called.market_of(&arguments);
        let (snapshot, deadline) = match pinned::reference_of(&presentation, pin)? {
            // Boxed: few calls name a set, and all would reserve space for it.
            Some(named) => {
                let markets = pinned::markets_read(called, &arguments, market);
                Box::pin(self.pinned_snapshot(metered, &markets, &named)).await?
            }
            None => (self.snapshot_for(metered.caller()), None),
        };
        if !called.selects.is_empty() || called.run_returns_rows {
            self.snapshots.check_seen(self.audience_of(metered.caller()), market)?;
        }
        // A server's snapshot has both markets; one that is made for a comparison has one.
        let operation = snapshot.prepared_operation(called, market).cloned().ok_or_else(|| {
            ClientError::new(ErrorKind::NoData, format!("this snapshot has nothing of {}", called.name))
        })?;
        let hints = Hints { naming, catalogue: &self.catalogue };
        let arguments = self.replace_watchlists(metered, &snapshot, market, arguments).await?;
        let served = self.seen_without_pin(metered.caller());
        let unchecked =
            UncheckedCall { snapshot: &snapshot, served: &served, hints, operation, arguments, presentation };
        let (prepared, renamed) = unchecked.check(metered.tier(), Utc::now())?;
        let payer = self.payer.clone().or_else(|| metered.payer()).filter(|_| self.is_billed(called));
        Ok(Call {
            snapshot,
            prepared: Arc::new(prepared),
            renamed,
            caller: metered.caller().clone(),
            deadline,
            payer,
        })
    }

    /// Runs an admitted call; its answer is in the requested format. A cached answer is returned at once, all others by a deadline that
    /// includes the wait in a queue.
    ///
    /// # Errors
    /// 404 for a missing table or a missing object, 503 for a deadline, a memory limit or a full queue.
    pub async fn run(&self, call: &Call) -> Result<EncodedAnswer, ClientError> {
        if let Some(cached) = call.prepared.cached_answer() {
            return Ok(cached);
        }
        // Boxed: most calls are cached, and all would reserve space for it.
        Box::pin(self.compute_answer(call)).await
    }

    async fn compute_answer(&self, call: &Call) -> Result<EncodedAnswer, ClientError> {
        let deadline = call.deadline.unwrap_or_else(|| call.prepared.operation().deadline());
        let answered = async {
            if call.format() == AnswerFormat::Png {
                // Boxed: few calls are pictures, and all would reserve space for it.
                return Box::pin(self.draw_png(call, deadline)).await;
            }
            let inputs = self.answer_inputs(call.clone(), deadline);
            if inputs.is_charged_by_work() {
                return Box::pin(self.answer_billed(call, inputs)).await;
            }
            self.run_on_threads(inputs).await
        };
        let answered = tokio::time::timeout_at(deadline.at(), answered).await;
        answered.unwrap_or_else(|_| Err(deadline.timeout_error().into()))
    }

    /// Returns true if the caller of an operation pays for the work by its time.
    fn is_billed(&self, operation: &Operation) -> bool {
        self.handler_of(operation).is_some_and(|handler| handler.is_charged_by_work())
    }

    fn answer_inputs(&self, call: Call, deadline: Deadline) -> AnswerInputs {
        let selects = self.selects.as_ref().map(SelectQueue::processes);
        AnswerInputs {
            handlers: Arc::clone(&self.handlers),
            past: self.earlier_sets(&call.caller),
            call,
            deadline,
            selects,
            processor_time: ProcessorTime::default(),
        }
    }

    /// Draws a PNG: takes the answer as SVG, cached or computed, and rasterizes it.
    async fn draw_png(&self, call: &Call, deadline: Deadline) -> Result<EncodedAnswer, ClientError> {
        let svg_call = call.in_format(AnswerFormat::Svg);
        let svg = match svg_call.prepared.cached_answer() {
            Some(cached) => cached,
            None => self.run_on_threads(self.answer_inputs(svg_call, deadline)).await?,
        };
        self.pngs.png(call, svg).await
    }

    /// Runs a quick query on the caller's thread, all others on the query threads.
    async fn run_on_threads(&self, inputs: AnswerInputs) -> Result<EncodedAnswer, ClientError> {
        let Some(threads) = &self.threads else { return inputs.answer().await };
        if inputs.call.prepared.is_quick()
            && let Some(_turn) = threads.try_quick_permit()
        {
            return inputs.answer().await;
        }
        if inputs.waits_for_io() {
            return threads.run_waiting(async move { inputs.answer().await }).await;
        }
        let owner = inputs.call.caller.owner_number();
        threads.run(owner, async move { inputs.answer().await }).await
    }
}
