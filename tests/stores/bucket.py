"""Makes the bucket and uploads the newest sets of a folder as plain files below a prefix: ENDPOINT FOLDER PREFIX."""

import json
import pathlib
import sys

import boto3

endpoint, folder, prefix = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
client = boto3.client("s3", endpoint_url=endpoint)
client.create_bucket(Bucket="bucket")
for market in ("india", "us"):
    numbers = [int(path.stem) for path in (folder / market / "sets").glob("*.json") if path.stem.isdigit()]
    manifest = json.loads((folder / market / "sets" / f"{max(numbers)}.json").read_text())
    for table, files in manifest["tables"].items():
        for file in files["files"]:
            name = f"{table}/{file['part']}" if file.get("part") else table
            path = folder / market / "files" / table / f"{file['hash']}.parquet"
            client.upload_file(str(path), "bucket", f"{prefix}/{market}/{name}.parquet")

# Publishing requires this condition: an object is created only if it does not exist.
client.put_object(Bucket="bucket", Key="probe", Body=b"first", IfNoneMatch="*")
try:
    client.put_object(Bucket="bucket", Key="probe", Body=b"second", IfNoneMatch="*")
    sys.exit("the store overwrites an object although it is asked to create one")
except client.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "PreconditionFailed", error
print("the store creates an object once")
