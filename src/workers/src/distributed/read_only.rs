//! Read-only object store, through which plans sent to a worker read the worker's disk and data. Units do not use it: they write files
//! below the cache folder.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, BoxStream, StreamExt as _};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// Wrapper of a store that rejects writes.
#[derive(Debug)]
pub(super) struct ReadOnlyStore(pub Arc<dyn ObjectStore>);

fn read_only_error<T>(path: &Path) -> Result<T> {
    let source = "a worker writes no files of a plan".into();
    Err(Error::PermissionDenied { path: path.to_string(), source })
}

impl fmt::Display for ReadOnlyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, read only", self.0)
    }
}

#[async_trait]
impl ObjectStore for ReadOnlyStore {
    async fn put_opts(&self, at: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        read_only_error(at)
    }

    async fn put_multipart_opts(
        &self,
        at: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        read_only_error(at)
    }

    async fn get_opts(&self, at: &Path, options: GetOptions) -> Result<GetResult> {
        self.0.get_opts(at, options).await
    }

    fn delete_stream(&self, _: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        stream::once(std::future::ready(read_only_error(&Path::default()))).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, _: &Path, to: &Path, _: CopyOptions) -> Result<()> {
        read_only_error(to)
    }
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt as _;
    use object_store::memory::InMemory;

    use super::*;

    #[tokio::test]
    async fn existing_files_are_read_and_nothing_is_written() {
        let (below, path) = (Arc::new(InMemory::new()), Path::from("a"));
        below.put(&path, "x".into()).await.unwrap();
        let store = ReadOnlyStore(Arc::<InMemory>::clone(&below));
        assert_eq!(store.get(&path).await.unwrap().bytes().await.unwrap(), "x");
        let other = Path::from("b");
        let refused = store.put(&other, "y".into()).await.unwrap_err().to_string();
        assert!(refused.contains("writes no files"), "{refused}");
        assert!(store.put_multipart(&other).await.is_err() && store.copy(&path, &other).await.is_err());
        assert!(store.delete(&path).await.is_err());
        assert_eq!(below.list(None).count().await, 1);
    }
}
