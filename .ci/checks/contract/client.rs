//! What the Rust client made from the document is good for: run against a server of the sample.
//!
//! BASE is its address, KEY a key with every scope. It panics where something is not as the
//! document says.

use std::collections::BTreeSet;
use std::env::var;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

progenitor::generate_api!(spec = "openapi.json", interface = Builder);

use types::{ErrorEnvelope, ListBoatsLengthUnit, ListBoatsOrder, ListBoatsSort};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let base = var("BASE").unwrap();
    let mut headers = HeaderMap::new();
    let key = HeaderValue::try_from(format!("Bearer {}", var("KEY").unwrap())).unwrap();
    headers.insert(AUTHORIZATION, key);
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    let (client, stranger) = (Client::new_with_client(&base, http), Client::new(&base));
    records(&client).await;
    lists(&client).await;
    others(&client, &stranger).await;
    copies(&client).await;
    errors(&client, &stranger).await;
}

async fn records(client: &Client) {
    let answer = client.get_boat().id_or_slug("first-40.7").send().await.unwrap();
    let etag = answer.headers()["etag"].to_str().unwrap().to_owned();
    let boat = answer.into_inner().data;
    assert_eq!((boat.slug.as_str(), boat.unit.to_string()), ("first-40.7", "metric".to_owned()));
    assert_eq!(boat.length_overall, 11.92);
    assert_eq!(*boat.reference_price.unwrap().currency.code, "EUR");
    let again = client.get_boat().id_or_slug(boat.id.as_str()).if_none_match(etag).send().await;
    // What is neither an answer nor an error is given as it came.
    let Err(Error::UnexpectedResponse(again)) = again else {
        panic!("{again:?}");
    };
    assert_eq!(again.status(), 304);
    let zephyr = client.get_boat().id_or_slug("zephyr").send().await.unwrap().into_inner().data;
    assert_eq!(zephyr.hull.keel_type, None);
    assert!(zephyr.reference_price.is_none());
}

async fn lists(client: &Client) {
    let (mut rows, mut total) = (Vec::new(), 1);
    while i64::try_from(rows.len()).unwrap() < total {
        let list = client.list_boats().length_min(30.0).length_unit(ListBoatsLengthUnit::Ft);
        let list = list.sort(ListBoatsSort::Length).order(ListBoatsOrder::Desc).limit(7);
        let page = list.offset(i64::try_from(rows.len()).unwrap()).send().await.unwrap().into_inner();
        assert!(!page.data.is_empty() && page.pagination.limit.get() == 7);
        total = page.pagination.total;
        rows.extend(page.data);
    }
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert!(7 < rows.len() && ids.len() == rows.len());
    assert!(rows.iter().all(|row| 9.1 < row.length_overall_metres));
    assert!(rows.is_sorted_by(|one, other| other.length_overall_metres <= one.length_overall_metres));
}

async fn others(client: &Client, stranger: &Client) {
    let version = stranger.describe_version().send().await.unwrap().into_inner();
    assert_eq!(version.data.links.boats, "/v1/boats");
    let makers = client.list_manufacturers().search("ang").limit(1).send().await.unwrap().into_inner();
    assert_eq!(makers.pagination.total, 1);
    assert!(0 < makers.data[0].updated_at.timestamp());
}

async fn copies(client: &Client) {
    let key = client.get_key().send().await.unwrap().into_inner();
    assert!(key.scopes.iter().any(|scope| scope == "catalogue.export"));
    assert!(key.rate_limit.remaining < key.rate_limit.limit);
    let changes = client.list_changes().since(key.release.as_str()).send().await.unwrap().into_inner();
    assert!(changes.data.is_empty() && changes.release == key.release);
    let facets = client.get_facets().year_to(1999).send().await.unwrap().into_inner().data;
    assert!(facets.year.unwrap().max <= 1999 && 0 < facets.type_[0].count.get());
    let boats = client.get_all_boats_ndjson().send().await.unwrap();
    assert_eq!(boats.headers()["x-release"].to_str().unwrap(), key.release);
}

async fn errors(client: &Client, stranger: &Client) {
    let missing = client.get_boat().id_or_slug("nothing").send().await.unwrap_err();
    assert_eq!(error(missing).error.code, "NOT_FOUND");
    let gone = client.list_changes().since("20200101T000000Z-0123456789abcdef").send().await.unwrap_err();
    assert_eq!(error(gone).error.code, "RELEASE_GONE");
    let refused = stranger.list_boats().send().await.unwrap_err();
    assert_eq!(error(refused).error.code, "MISSING_API_KEY");
    let wrong = client.list_boats().year_from(1990).year_to(1980).send().await.unwrap_err();
    let wrong = error(wrong).error;
    assert_eq!(wrong.code, "VALIDATION_ERROR");
    assert_eq!(wrong.details.unwrap().issues[0].field, "yearTo");
    // A code that a later version adds is no reason to fail.
    let request = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let later = serde_json::json!({"error": {"code": "ADDED_LATER", "message": "", "requestId": request}});
    let later: ErrorEnvelope = serde_json::from_value(later).unwrap();
    assert_eq!(later.error.code, "ADDED_LATER");
}

fn error(error: Error<ErrorEnvelope>) -> ErrorEnvelope {
    match error {
        Error::ErrorResponse(answer) => answer.into_inner(),
        other => panic!("{other:?}"),
    }
}
