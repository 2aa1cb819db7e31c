"""Makes the bucket and uploads a folder below a prefix: ENDPOINT FOLDER PREFIX."""

import pathlib
import sys

import boto3

endpoint, folder, prefix = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
client = boto3.client("s3", endpoint_url=endpoint)
client.create_bucket(Bucket="bucket")
for path in sorted(folder.rglob("*.parquet")):
    client.upload_file(str(path), "bucket", f"{prefix}/{path.relative_to(folder).as_posix()}")

# What publishing stands on: an object is created only if it is not there.
client.put_object(Bucket="bucket", Key="probe", Body=b"first", IfNoneMatch="*")
try:
    client.put_object(Bucket="bucket", Key="probe", Body=b"second", IfNoneMatch="*")
    sys.exit("the store overwrites an object although it is asked to create one")
except client.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "PreconditionFailed", error
print("the store creates an object once")
