"""Installs each package that `dist/pack` made into an empty folder, without a compiler and without network, starts it and asks the first
question. Prints sizes, and the seconds from the install command to the first answer.

Usage: check.py [--released] FOLDER. With --released, sizes and seconds have limits. What is not on this machine is named and left out.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zipfile

import project

# Limits of a release, in MB and seconds.
PACKED_MB, UNPACKED_MB, IMAGE_MB, SECONDS = 40, 100, 150, 15
# No answer takes so long, also on a busy machine.
PATIENCE_S = 60
# A server without requests ends within it.
GRACE_S = 2
QUESTION = "/v1/market/momentum?limit=5"
MCPB = "@anthropic-ai/mcpb@2.1.2"
rows, faults = [], []


@contextlib.contextmanager
def started(command, folder, environment, **streams):
    """Runs a command, which ends with the block or after a time limit, with all that it started."""
    process = subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, start_new_session=True, **streams
    )
    limit = threading.Timer(PATIENCE_S, kill_group, [process])
    limit.start()
    try:
        yield process
    finally:
        limit.cancel()
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            # `unshare` passes no signal on.
            process.wait(GRACE_S)
        kill_group(process)
        process.wait()
        process.stdout.close()


def kill_group(process):
    """Kills a process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run(command, folder, environment):
    """Runs a command and returns its output; a failure ends the check with what the command said."""
    ended = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, timeout=2 * PATIENCE_S)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def ask_over_http(command, folder, environment):
    """Issues a key, starts a server without other settings, asks the first question and returns when it was answered."""
    key = run([*command, "keys", "issue", "--tier", "free", "--owner", "check"], folder, environment).split()[-1]
    log = tempfile.TemporaryFile("w+")
    with log, started([*command, "--listen", "127.0.0.1:0"], folder, environment, stderr=log) as process:
        lines = iter(process.stdout.readline, "")
        found = next((found for line in lines if (found := re.search(r"at (http://\S+)/v1", line))), None)
        if found is None:
            log.seek(0)
            raise SystemExit(f"{' '.join(map(str, command))} does not serve:\n{log.read()}")
        answer = first_reply(urllib.request.Request(found[1] + QUESTION, headers={"X-Api-Key": key}))
        assert len(answer["data"]["stocks"]) == 5, answer
        return time.monotonic()


def first_reply(request):
    """Returns the first reply that is not a request to wait: a server says where it is a moment before it answers."""
    for _ in range(PATIENCE_S * 20):
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            if refused.code != 503:
                raise SystemExit(f"{request.full_url}: {refused.code} {refused.read().decode()}") from refused
        time.sleep(0.05)
    raise SystemExit(f"{request.full_url}: no answer in {PATIENCE_S} s")


def ask_over_stdio(command, folder, environment):
    """Starts the tools as a chat app does, calls `market_now` and returns when it was answered."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
    messages = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "market_now", "arguments": {}}},
    ]
    streams = {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with started(command, folder, environment, **streams) as process:
        for message in messages:
            print(json.dumps({"jsonrpc": "2.0", **message}), file=process.stdin, flush=True)
        replies = (json.loads(line) for line in iter(process.stdout.readline, ""))
        reply = next((reply for reply in replies if reply.get("id") == 2), {})
        answer = json.loads(reply["result"]["content"][0]["text"]) if "result" in reply else reply
        assert answer.get("market") == "india" and answer["breadth"]["rows"], reply
        process.stdin.close()
        return time.monotonic()


def measured(name, packages, folder, seconds, limits=(PACKED_MB, UNPACKED_MB)):
    """Adds a row to the table, and a fault for what a release may not exceed."""
    packed = sum(package.stat().st_size for package in packages) / 1e6
    unpacked = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    rows.append((name, packed, unpacked, seconds))
    figures = (("MB packed", packed), ("MB unpacked", unpacked), ("s", seconds))
    for (what, figure), limit in zip(figures, (*limits, SECONDS)):
        if figure > limit:
            faults.append(f"{name}: {figure:.1f} {what}, and the limit is {limit}")


def unpack(path, folder):
    """Unpacks a tar archive with its owners and permissions, which newer versions of Python would leave out."""
    with tarfile.open(path) as archive:
        archive.extraction_filter = lambda member, _: member
        archive.extractall(folder)


def check_wheel(wheels, folder, environment):
    """pip installs the wheel into an empty environment."""
    if subprocess.run([sys.executable, "-m", "venv", folder / "venv"], capture_output=True).returncode != 0:
        return "Python's venv with pip"
    began = time.monotonic()
    pip = [folder / "venv" / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", "--no-index", *wheels], folder, environment)
    answered = ask_over_http([folder / "venv" / "bin" / "parquote"], folder, environment)
    measured("wheel", wheels, next(folder.glob("venv/lib/python*/site-packages/parquote")), answered - began)


def check_npm(packages, folder, environment):
    """npm installs both packages; the programs of other platforms cannot be had without network, and are optional."""
    if not shutil.which("npm"):
        return "npm"
    began = time.monotonic()
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", *packages], folder, environment)
    answered = ask_over_http([folder / "node_modules" / ".bin" / "parquote"], folder, environment)
    measured("npm", packages, folder / "node_modules", answered - began)


def check_mcpb(bundles, folder, environment):
    """The bundle is unpacked and started as a chat app does, with none of its settings set."""
    began = time.monotonic()
    bundle = folder / "bundle"
    with zipfile.ZipFile(bundles[0]) as archive:
        for info in archive.infolist():
            os.chmod(archive.extract(info, bundle), info.external_attr >> 16)
    manifest = json.loads((bundle / "manifest.json").read_text())
    values = {"__dirname": str(bundle), "HOME": environment["HOME"]}
    values |= {f"user_config.{name}": setting["default"] for name, setting in manifest["user_config"].items() if "default" in setting}

    def filled(text):
        return re.sub(r"\$\{(.+?)\}", lambda name: values.get(name[1], name[0]), text)

    server = manifest["server"]["mcp_config"]
    command = [filled(part) for part in (server["command"], *server["args"])]
    settings = {name: filled(value) for name, value in server["env"].items()}
    empty = folder / "empty"
    empty.mkdir()
    answered = ask_over_stdio(command, empty, {**environment, **settings})
    measured("mcpb", bundles, bundle, answered - began)
    assert not any(empty.iterdir()), "the bundle writes into the folder in which it is started"
    return validate(bundle / "manifest.json")


def validate(manifest):
    """Anthropic's own tool reads the manifest; it is installed once, under the folder of builds."""
    place = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", project.ROOT / "target")) / "mcpb"
    tool = place / "node_modules" / ".bin" / "mcpb"
    if not tool.exists():
        npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", place, MCPB]
        if not shutil.which("npm") or subprocess.run(npm, capture_output=True).returncode != 0:
            return f"{MCPB}, so that its manifest is not validated"
    run([tool, "validate", manifest], manifest.parent, os.environ)


def check_deb(debs, folder, environment):
    """dpkg unpacks the package into a folder, as an installation would need the rights of root."""
    if not shutil.which("dpkg-deb"):
        return "dpkg-deb"
    began = time.monotonic()
    run(["dpkg-deb", "--extract", *debs, folder / "root"], folder, environment)
    answered = ask_over_http([folder / "root" / "usr" / "bin" / "parquote"], folder, environment)
    measured("deb", debs, folder / "root", answered - began)


def check_image(images, folder, environment):
    """The image is unpacked and started in namespaces of its own, which need no container engine."""
    # A user other than root cannot give files to another one, and is root inside instead.
    as_user = ["--setuid", "10001", "--setgid", "10001"] if os.geteuid() == 0 else ["--map-root-user"]
    inside = ["unshare", *as_user, "--mount", "--pid", "--fork", "--kill-child"]
    if not shutil.which("unshare") or subprocess.run([*inside, "--mount-proc", "true"], capture_output=True).returncode != 0:
        return "unshare with the right to use it"
    began = time.monotonic()
    root, store = folder / "root", folder / "store"
    unpack(images[0], store)

    def blob(described):
        path = store / "blobs" / described["digest"].replace(":", "/")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name and path.stat().st_size == described["size"], path
        return path

    manifest = json.loads(blob(json.loads((store / "index.json").read_text())["manifests"][0]).read_text())
    config = json.loads(blob(manifest["config"]).read_text())["config"]
    unpack(blob(manifest["layers"][0]), root)
    settings = dict(setting.split("=", 1) for setting in config["Env"])
    # The demo market, and no port of this machine that something else may have.
    settings |= {"PARQUOTE_DATA": "/usr/share/parquote/demo", "PARQUOTE_ADMIN": "127.0.0.1:0", "PATH": environment["PATH"]}
    command = [*inside, "--root", root, "--wd", config["WorkingDir"], "--mount-proc", *config["Entrypoint"]]
    answered = ask_over_http(command, folder, settings)
    measured("image", images, root, answered - began, (IMAGE_MB, IMAGE_MB))


def check_archive(archives, folder, environment):
    """The archive of dist/release serves the demo market from the unpacked folder."""
    began = time.monotonic()
    unpack(archives[0], folder)
    unpacked = next(folder.glob("parquote-*"))
    answered = ask_over_http(["./parquote"], unpacked, environment)
    measured("tar", archives, unpacked, answered - began)


def check_formula(formulas, folder, environment):
    """Ruby reads the formula."""
    if not shutil.which("ruby"):
        return "ruby"
    run(["ruby", "-c", *formulas], folder, environment)


CHECKS = {
    "wheel": ("*.whl", check_wheel),
    "npm": ("*.tgz", check_npm),
    "mcpb": ("*.mcpb", check_mcpb),
    "deb": ("*.deb", check_deb),
    "image": ("*-image-*.tar", check_image),
    "tar": ("parquote-*-*-*.tar.gz", check_archive),
    "formula": ("*.rb", check_formula),
}


def main():
    is_released, out = "--released" in sys.argv, pathlib.Path(sys.argv[-1]).resolve()
    workflow = (project.ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    missing = [target for target in project.TARGETS if target not in workflow]
    assert not missing, f"the release workflow does not build {missing}"
    for name, (pattern, check) in CHECKS.items():
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work).resolve()
            # Nothing of this machine but its programs: no settings, no caches.
            environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": tempfile.gettempdir()}
            packages = sorted(out.glob(pattern))
            lacking = check(packages, folder, environment) if packages else "a package for this platform"
        if lacking:
            print(f"packages: {name} not checked to the end, for lack of {lacking}")
    print("package  packed MB  unpacked MB  s from the install command to the first answer")
    for name, packed, unpacked, seconds in rows:
        print(f"{name:7}  {packed:9.1f}  {unpacked:11.1f}  {seconds:.1f}")
    if not is_released:
        print("development build: sizes and seconds not judged")
    elif faults:
        raise SystemExit("\n".join(faults))


main()
