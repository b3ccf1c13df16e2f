//! Files in S3, Google Cloud Storage and Azure.

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path as Key;
use object_store::{Attribute, Error, GetOptions, GetRange, ObjectStore, RetryConfig};
use shared::release::s3::{StoreConnector, root_cause};

use super::address::{Address, Scheme};
use super::failure::{Failure, Reason};
use super::response::{CONNECT_MAX, IDLE_MAX, Response};
use super::settings::RemoteSettings;

/// A file in an object store.
pub(super) struct Store {
    store: Box<dyn ObjectStore>,
    key: Key,
}

impl Store {
    pub(super) fn new(address: &Address, settings: &RemoteSettings) -> Result<Self, Reason> {
        let bucket = address.url().host_str().unwrap_or_default();
        let store = match address.scheme() {
            Scheme::Gs => google(bucket, settings),
            Scheme::Az => azure(bucket, settings),
            _ => s3(bucket, settings),
        };
        let key = Key::from_url_path(address.url().path());
        Ok(Self {
            store: store?,
            key: key.map_err(|error| unusable(&error))?,
        })
    }

    pub(super) async fn etag(&self) -> Result<Option<String>, Failure> {
        let options = GetOptions {
            head: true,
            ..GetOptions::default()
        };
        let got = self.store.get_opts(&self.key, options).await;
        Ok(got.map_err(|error| failure(&error))?.meta.e_tag)
    }

    pub(super) async fn open(&self, start: u64, state: Option<&str>) -> Result<Response, Failure> {
        let options = GetOptions {
            range: (start != 0).then_some(GetRange::Offset(start)),
            if_match: state.filter(|_| start != 0).map(str::to_owned),
            ..GetOptions::default()
        };
        let got = self.store.get_opts(&self.key, options).await;
        let got = got.map_err(|error| failure(&error))?;
        let content_type = got.attributes.get(&Attribute::ContentType);
        Ok(Response {
            start: got.range.start,
            total: Some(got.meta.size),
            etag: got.meta.e_tag.clone(),
            is_web_page: content_type.is_some_and(|text| text.starts_with("text/html")),
            body: got
                .into_stream()
                .map_err(|error| Failure::Lost(root_cause(&error)))
                .boxed(),
        })
    }
}

fn connector() -> StoreConnector {
    StoreConnector::for_streams(CONNECT_MAX, IDLE_MAX)
}

/// Retries are decided elsewhere.
fn once() -> RetryConfig {
    RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    }
}

fn s3(bucket: &str, settings: &RemoteSettings) -> Result<Box<dyn ObjectStore>, Reason> {
    let client = settings.s3().client();
    let client = client.map_err(|error| Reason::Setting(error.to_string()))?;
    let client = client
        .with_http_connector(connector())
        .with_retry(once())
        .with_bucket_name(bucket)
        .build();
    Ok(Box::new(client.map_err(|error| unusable(&error))?))
}

fn google(bucket: &str, settings: &RemoteSettings) -> Result<Box<dyn ObjectStore>, Reason> {
    let client = GoogleCloudStorageBuilder::new();
    let set = |client: GoogleCloudStorageBuilder, (key, value)| client.with_config(key, value);
    let client = settings
        .others()
        .fold(client, set)
        .with_http_connector(connector())
        .with_retry(once())
        .with_bucket_name(bucket)
        .build();
    Ok(Box::new(client.map_err(|error| unusable(&error))?))
}

fn azure(container: &str, settings: &RemoteSettings) -> Result<Box<dyn ObjectStore>, Reason> {
    let client = MicrosoftAzureBuilder::new();
    let set = |client: MicrosoftAzureBuilder, (key, value)| client.with_config(key, value);
    let client = settings
        .others()
        .fold(client, set)
        .with_http_connector(connector())
        .with_retry(once())
        .with_container_name(container)
        .build();
    Ok(Box::new(client.map_err(|error| unusable(&error))?))
}

fn unusable(error: &(dyn std::error::Error + 'static)) -> Reason {
    Reason::Setting(root_cause(error))
}

fn failure(error: &Error) -> Failure {
    let why = root_cause(error);
    match error {
        Error::NotFound { .. } => Failure::Final(Reason::Missing(why)),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            Failure::Final(Reason::Login(why))
        }
        Error::Precondition { .. } | Error::NotModified { .. } => Failure::Changed,
        _ => Failure::Lost(why),
    }
}
