//! The order of checks: from a request to its response, in one function.
//!
//! The order is part of the contract: a request that fails two checks gets the error of the earlier
//! one.

use bytes::Bytes;
use salvo::http::{HeaderMap, Method, Request};
use shared::base::clock::Moment;
use shared::base::etag::ETag;
use shared::keys::key::Key;
use shared::keys::scope::Scope;
use shared::keys::secret::KeyHash;

use super::bodies::written;
use super::catalogue_request::CatalogueRequest;
use super::error::ApiError;
use super::headers::{CachePolicy, ResponseMeta};
use super::look_up::{LookUp, Resource};
use super::own_key::KeyDescription;
use super::representation::{self, Answer};
use super::{authorization, docs, service};
use crate::api_tables::routes::{self, CatalogueOperation, MatchedPath, Operation};
use crate::app::App;
use crate::cors;
use crate::keyring::{Caller, VerifyError};
use crate::limits::{Demand, QuotaError, Usage, WaitBudget};
use crate::params::{NoParams, QueryString};

/// What was learned on the way, for the headers and the log, also if the response is an error.
pub(crate) struct RequestContext<'a> {
    pub(crate) meta: ResponseMeta,
    /// What the path leads to.
    pub(crate) matched: Option<MatchedPath<'a>>,
    /// The key, and who owns it, also if it is refused.
    pub(crate) caller: Option<Caller>,
}

/// What a request is for, before its key is checked.
pub(crate) struct Target<'a> {
    pub(crate) path: &'a str,
    pub(crate) matched: MatchedPath<'a>,
    pub(crate) query: QueryString,
}

/// The checks that need no key.
pub(crate) fn target<'a>(
    request: &'a Request,
    matched: Option<MatchedPath<'a>>,
) -> Result<Target<'a>, ApiError> {
    let matched = matched.ok_or(ApiError::UnknownPath)?;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(ApiError::MethodNotAllowed);
    }
    let query = QueryString::parse(request.uri().query());
    if query.has_credential() {
        return Err(ApiError::CredentialInQuery);
    }
    Ok(Target {
        path: request.uri().path(),
        matched,
        query,
    })
}

/// Answers a request. It has an id, and `wire` checked its head; everything else is decided here.
pub(crate) async fn answer<'a>(
    app: &App,
    request: &'a Request,
    now: Moment,
    context: &mut RequestContext<'a>,
) -> Result<Answer, ApiError> {
    context.matched = routes::find(request.uri().path());
    // A preflight is answered whatever the path, so that the page can read every response, also a
    // 404.
    if let Some(fields) = cors::preflight(request, &context.meta.cors) {
        context.meta.preflight = Some(fields);
        return Ok(Answer::Preflight);
    }
    let Target {
        path,
        matched,
        query,
    } = target(request, context.matched)?;
    let (operation, scopes, segment) = match matched {
        MatchedPath::File(file) => {
            return Ok(match docs::answer(file.operation, &mut context.meta) {
                Some((body, etag)) => choose(app, request, body, etag, &mut context.meta).await,
                None => Answer::ToPage,
            });
        }
        MatchedPath::Endpoint(route, segment) => match route.operation {
            Operation::Service(operation) => {
                let (body, etag) = service::answer(app, operation, &query, &mut context.meta)?;
                return Ok(choose(app, request, body, etag, &mut context.meta).await);
            }
            Operation::DescribeKey => {
                return Box::pin(describe_key(app, request, now, context, &query)).await;
            }
            Operation::Catalogue(operation, scopes) => (operation, scopes, segment),
        },
    };
    let caller = verify(app, request.headers(), now, &mut context.caller)?;
    let mut counting = Counting::new(app, caller, now);
    context.meta.rate = Some(counting.count(&mut context.meta).await?);
    check_scopes(&caller.key, operation, scopes)?;
    let asked =
        CatalogueRequest::parse(operation, segment, &query).map_err(ApiError::Validation)?;
    let quota = counting.demand(Demand::Check).await?;

    let catalogue = app.catalogue();
    let release = || catalogue.release_id().to_owned();
    context.meta.release = operation.names_release().then(release);
    if let CatalogueRequest::Whole(whole) = asked {
        let answer = whole.answer(&catalogue, request, &mut context.meta)?;
        return counting
            .charge_whole(answer, quota, &mut context.meta)
            .await;
    }
    let look_up = LookUp {
        catalogue: &catalogue,
        lists: &app.lists,
        comparisons: &app.comparisons,
        scopes: caller.key.scopes,
        metrics: &app.metrics.queries,
        clock: &*app.clock,
        path,
        query: &query,
        now,
    };
    let found = asked.look_up(&look_up).await?;
    counting
        .charge_found(found, request, &mut context.meta)
        .await
}

/// Describes the key of a request, which counts in its minute and is never charged.
async fn describe_key(
    app: &App,
    request: &Request,
    now: Moment,
    context: &mut RequestContext<'_>,
    query: &QueryString,
) -> Result<Answer, ApiError> {
    let caller = verify(app, request.headers(), now, &mut context.caller)?;
    let mut counting = Counting::new(app, caller, now);
    let rate = counting.count(&mut context.meta).await?;
    context.meta.rate = Some(rate);
    NoParams::parse(query).map_err(ApiError::Validation)?;
    let quota = counting.quota().await?;
    context.meta.quota = Some(quota);
    context.meta.cache_policy = CachePolicy::NoStore;
    let catalogue = app.catalogue();
    let described = KeyDescription::of(&caller.key, [rate, quota], catalogue.release_id());
    Ok(Answer::Body(written(&described)))
}

/// The caller, if the key works. It is kept also if the key is known and refused.
fn verify<'a>(
    app: &App,
    headers: &HeaderMap,
    now: Moment,
    caller: &'a mut Option<Caller>,
) -> Result<&'a Caller, ApiError> {
    let key = authorization::read(headers)?;
    let verified = app.keyring.verify(&KeyHash::of(key), app.environment, now);
    match &verified {
        Ok(_) => {}
        Err(VerifyError::Refused(_, refused)) => *caller = Some(refused.clone()),
        Err(VerifyError::NotCurrent | VerifyError::Unknown) => authorization::check_form(key)?,
    }
    Ok(caller.insert(verified?))
}

/// One request being counted, with its limits and the time it may still wait for them.
struct Counting<'a> {
    app: &'a App,
    caller: &'a Caller,
    wait_budget: WaitBudget<'a>,
    now: Moment,
}

impl<'a> Counting<'a> {
    fn new(app: &'a App, caller: &'a Caller, now: Moment) -> Self {
        Self {
            app,
            caller,
            wait_budget: app.wait_budget(),
            now,
        }
    }

    /// Counts the request in the minute window of its key. A refusal shows the state of the quota
    /// too (section 4.8), so that is read; if it cannot be, the service is unavailable rather than
    /// guessing.
    async fn count(&mut self, meta: &mut ResponseMeta) -> Result<Usage, ApiError> {
        let key = &self.caller.key;
        let (limit, wait_budget) = (key.minute_limit(), &mut self.wait_budget);
        let minutes = &self.app.minutes;
        let counting = minutes.count(&key.family, limit, self.now, wait_budget);
        let exceeded = match counting.await {
            Ok(usage) => return Ok(usage),
            Err(usage) => usage,
        };
        meta.quota = Some(self.quota().await?);
        Err(ApiError::RateLimited(exceeded))
    }

    /// The state of the month's quota, also if it is used up.
    async fn quota(&mut self) -> Result<Usage, QuotaError> {
        match self.demand(Demand::Check).await {
            Err(QuotaError::Exceeded(quota)) => Ok(quota),
            checked => checked,
        }
    }

    /// Charges what was looked up, unless the client has it.
    async fn charge_found(
        &mut self,
        found: Resource,
        request: &Request,
        meta: &mut ResponseMeta,
    ) -> Result<Answer, ApiError> {
        let answer = choose(self.app, request, found.body, Some(found.etag), meta).await;
        if matches!(answer, Answer::NotModified) {
            return Ok(answer);
        }
        meta.quota = Some(self.charge().await?);
        meta.freshness = Some(found.freshness);
        meta.link = found.link;
        meta.rows = found.rows;
        Ok(answer)
    }

    /// Charges a file, unless the client has it, or what it gets is the rest of one, which leaves
    /// the quota as it was checked.
    async fn charge_whole(
        &mut self,
        answer: Answer,
        checked: Usage,
        meta: &mut ResponseMeta,
    ) -> Result<Answer, ApiError> {
        meta.quota = Some(match &answer {
            Answer::File(file) if file.is_charged() => self.charge().await?,
            _ => checked,
        });
        Ok(answer)
    }

    /// Charges a request to the month's quota, and counts it as one of its key.
    async fn charge(&mut self) -> Result<Usage, QuotaError> {
        let usage = self.demand(Demand::Charge).await?;
        self.caller.count_charge(usage.reset_unix_seconds);
        Ok(usage)
    }

    /// Whether the month's quota has a request left, which is charged if that is demanded.
    async fn demand(&mut self, demand: Demand) -> Result<Usage, QuotaError> {
        let (quotas, owner) = (&self.app.quotas, &self.caller.subscription);
        let ask = |left| quotas.demand(demand, left, owner, self.now);
        self.wait_budget.spend(ask).await
    }
}

fn check_scopes(
    key: &Key,
    operation: CatalogueOperation,
    needed: &[Scope],
) -> Result<(), ApiError> {
    let has = |scope: &Scope| key.scopes.contains(*scope);
    let (suffice, word) = if operation.takes_any_scope() {
        (needed.iter().any(has), "or")
    } else {
        (needed.iter().all(has), "and")
    };
    if suffice {
        return Ok(());
    }
    let lacking = needed.iter().copied().filter(|scope| !has(scope));
    Err(ApiError::MissingScopes(lacking.collect(), word))
}

/// Chooses what to send of a body, and sets its tag for the headers. A body without a tag is sent as
/// it is.
async fn choose(
    app: &App,
    request: &Request,
    body: Bytes,
    etag: Option<ETag>,
    meta: &mut ResponseMeta,
) -> Answer {
    let Some(etag) = etag else {
        return Answer::Body(body);
    };
    let (answer, tag) =
        representation::choose(&app.compressed, request.headers(), body, etag).await;
    meta.etag = Some(tag);
    answer
}
