//! S3 requests: signing with the caller's key, and parsing of bucket listings.
//!
//! Only the signature is made here; the request is sent like any other, so that spacing, ranges and refusals work the same way. There
//! is no second HTTP client.

use object_store::aws::{AwsAuthorizer, AwsCredential};
use object_store::client::{HttpRequest, HttpRequestBody};
use reqwest::Method;
use reqwest::header::{HOST, HeaderMap};
use url::Url;

use super::vendor_key::VendorKey;

/// A file in the listing of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BucketFile {
    /// Key of the file in the bucket.
    pub(crate) key: String,
    pub(crate) etag: String,
    pub(crate) bytes: u64,
}

/// Region of the signature; services other than Amazon's accept any.
const REGION: &str = "us-east-1";

/// Returns the headers that sign a request, marked as sensitive; `None` if the URL is invalid.
pub(crate) fn signed_headers(
    method: &Method,
    url: &Url,
    key: &VendorKey,
    secret: &VendorKey,
) -> Option<HeaderMap> {
    let credential = AwsCredential {
        key_id: key.reveal().to_owned(),
        secret_key: secret.reveal().to_owned(),
        token: None,
    };
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.uri_mut() = url.as_str().parse().ok()?;
    *request.method_mut() = method.clone();
    AwsAuthorizer::new(&credential, "s3", REGION).authorize(&mut request, None);
    let mut headers = request.headers().clone();
    // The HTTP client sets this header to the same value.
    headers.remove(HOST);
    headers.values_mut().for_each(|value| value.set_sensitive(true));
    Some(headers)
}

/// Returns the URL that lists the folder of a file, which is `a/b/` of `bucket` for `https://host/bucket/a/b/c.gz`.
pub(crate) fn list_url(file: &Url) -> Option<Url> {
    let path = file.path().trim_start_matches('/');
    let (bucket, key) = path.split_once('/')?;
    let (folder, _) = key.rsplit_once('/')?;
    let mut list = file.clone();
    list.set_path(&format!("/{bucket}"));
    list.query_pairs_mut().clear().append_pair("list-type", "2").append_pair("prefix", &format!("{folder}/"));
    Some(list)
}

/// Parses the listing of a bucket.
///
/// # Errors
/// The reason why it is invalid, in words.
pub(crate) fn read_list(text: &str) -> Result<Vec<BucketFile>, String> {
    if !text.contains("<ListBucketResult") {
        return Err("the reply is not a list of a bucket".to_owned());
    }
    if text.contains("<IsTruncated>true") {
        return Err("the list of a month has more than one page".to_owned());
    }
    let mut files = Vec::new();
    for entry in text.split("<Contents>").skip(1) {
        let field = |name: &str| {
            let tail = entry.split_once(&format!("<{name}>"))?.1;
            Some(tail.split_once('<')?.0.replace("&quot;", "\"").replace("&amp;", "&"))
        };
        let (Some(key), Some(etag), Some(bytes)) = (field("Key"), field("ETag"), field("Size")) else {
            return Err("an entry of the list lacks its key, its ETag or its size".to_owned());
        };
        files.push(BucketFile { key, etag, bytes: bytes.parse().unwrap_or_default() });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_keys_with_their_versions() {
        let text = "<?xml version=\"1.0\"?><ListBucketResult><Contents><Key>a/2026-07-08.csv.gz</Key><ETag>&quot;ab&quot;</ETag><Size>12</Size></Contents></ListBucketResult>";
        let file = BucketFile { key: "a/2026-07-08.csv.gz".into(), etag: "\"ab\"".into(), bytes: 12 };
        assert_eq!(read_list(text), Ok(vec![file]));
        assert!(read_list("<html>").is_err());
        assert!(read_list(&text.replace("<Contents>", "<IsTruncated>true</IsTruncated><Contents>")).is_err());
    }

    #[test]
    fn the_list_of_a_folder_is_requested_from_its_bucket() {
        let file = Url::parse("https://files.example.com/flat/stocks/2026/07/2026-07-08.csv.gz").unwrap();
        let list = list_url(&file).unwrap();
        assert_eq!(list.as_str(), "https://files.example.com/flat?list-type=2&prefix=stocks%2F2026%2F07%2F");
    }

    #[test]
    fn a_signature_shows_the_key_but_never_the_secret() {
        let url = Url::parse("https://files.example.com/flat/a.gz").unwrap();
        let headers = signed_headers(
            &Method::GET,
            &url,
            &VendorKey::new("KEYID").unwrap(),
            &VendorKey::new("SECRET").unwrap(),
        )
        .unwrap();
        let authorization = headers.get("authorization").unwrap();
        assert!(authorization.to_str().unwrap().starts_with("AWS4-HMAC-SHA256 Credential=KEYID/"));
        assert!(authorization.is_sensitive() && !format!("{headers:?}").contains("KEYID"));
        assert!(headers.values().all(|value| !value.to_str().unwrap_or_default().contains("SECRET")));
    }
}
