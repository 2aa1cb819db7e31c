"""Three servers on this machine behind nginx with nginx.conf, whose names become ports of the loopback address: PROGRAM NGINX.

Callers are spread and stay where they are, nobody but nginx says who they are, and no request fails while a server is killed, comes back
and is replaced. The state is in PostgreSQL where it is installed, else in a file that all three share. It takes Linux: each caller has
an address of 127.0.0.0/8.
"""

import contextlib
import glob
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM, NGINX = sys.argv[1:]
FOLDER = pathlib.Path(__file__).parent
DATA = FOLDER.parent.parent / "data/demo"
CALLERS = [f"127.0.0.{n}" for n in range(10, 60)]
PRICES = "/v1/market/momentum?limit=5"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def ask(port, path, caller="127.0.0.1", connection=None, body=None, **headers):
    """Returns status, headers and body of a reply, over a new connection or over the given one."""
    one = connection or http.client.HTTPConnection("127.0.0.1", port, 30, source_address=(caller, 0))
    one.request("POST" if body else "GET", path, body, {"x-api-key": KEY} | {name.replace("_", "-"): text for name, text in headers.items()})
    reply = one.getresponse()
    return reply.status, reply.headers, reply.read()


def wait_for(what, is_so):
    for _ in range(600):
        with contextlib.suppress(OSError):
            if is_so():
                return
        time.sleep(0.1)
    sys.exit(f"{what} did not come")


def postgres(work):
    """Starts a temporary PostgreSQL; returns its URL and the command that stops it, or None if it is not installed."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs:
        return None
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    data, port = work / "postgres", free_port()
    data.mkdir()
    work.chmod(0o755)
    if as_user:
        subprocess.run(["chown", "postgres", data], check=True)
    run = lambda *words: subprocess.run([*as_user, f"{programs[-1]}/{words[0]}", *words[1:], "-D", data], cwd="/", check=True, stdout=subprocess.DEVNULL)
    run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8")
    run("pg_ctl", "start", "-w", "-l", data / "log", "-o", f"-p {port} -k '' -c listen_addresses=127.0.0.1 -c max_connections=300 -c fsync=off")
    return f"postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable", lambda: run("pg_ctl", "stop", "-m", "immediate")


def serve(work, nth):
    flags = f"--listen 127.0.0.1:{PORTS[nth]} --admin 127.0.0.1:{ADMINS[nth]} --cache cache-{nth} --trusted-proxy 127.0.0.1 --drain-ms 3000".split()
    with open(work / f"log-{nth}", "a") as log:
        server = subprocess.Popen([PROGRAM, "serve", "--data", DATA, *flags], cwd=work, stdout=log, stderr=log)
    STACK.callback(server.kill)
    return server


def is_ready(nth):
    return ask(ADMINS[nth], "/readyz")[0] == 200


def configured(work, port):
    """Returns nginx.conf with local ports, and with nginx's own files in this run's folder."""
    text = (FOLDER / "nginx.conf").read_text()
    for nth, to in enumerate(PORTS):
        text, found = re.subn(rf"server replica-{nth + 1}:8080 resolve", f"server 127.0.0.1:{to}", text)
        assert found == 1, f"nginx.conf has no replica-{nth + 1}"
    text = text.replace("listen 8080;", f"listen 127.0.0.1:{port};")
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    own = "".join(f"{kind}_temp_path {work}/{kind};" for kind in kinds) + f"log_format spread '$remote_addr $upstream_addr'; access_log {work}/spread spread;"
    (work / "nginx.conf").write_text(text.replace("http {", "http {" + own, 1))
    return [NGINX, "-p", str(work), "-e", "stderr", "-c", str(work / "nginx.conf"), "-g", f"pid {work}/nginx.pid; daemon off; error_log {work}/errors;"]


def spread(work):
    """Returns the server of each caller's last request."""
    return dict(line.split(" ", 1) for line in (work / "spread").read_text().splitlines())


def meanwhile(port, does):
    """Lets all callers send requests, also to tools, while something is done; fails if one of them gets no answer."""
    over, answered, failed = threading.Event(), [], []
    message = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_market_sectors","arguments":{}}}'

    def go_on(callers):
        while not over.is_set():
            for caller in callers:
                try:
                    status = ask(port, PRICES, caller)[0]
                    tools = ask(port, "/mcp", caller, body=message, content_type="application/json")[0] if does is replace else 200
                    # A POST is not retried: a server that is still loading its tables may answer 503.
                    (answered if status == 200 and tools in (200, 503) else failed).append((caller, status, tools))
                except (OSError, http.client.HTTPException) as error:
                    failed.append((caller, repr(error)))
                time.sleep(0.01)

    threads = [threading.Thread(target=go_on, args=(CALLERS[n::4],)) for n in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    does()
    time.sleep(1)
    over.set()
    for thread in threads:
        thread.join()
    assert not failed and len(answered) > len(CALLERS), f"{does.__name__}: {len(answered)} answered, failed: {failed[:5]}"
    print(f"{does.__name__}: {len(answered)} callers were answered, nobody was not")


def kill():
    SERVERS[0].kill()
    SERVERS[0].wait()


def replace():
    """Restarts a server as an orchestrator does: stopped by a signal, waited for, started again."""
    SERVERS[0] = serve(WORK, 0)
    wait_for("the server", lambda: is_ready(0))
    for nth in (1, 2):
        SERVERS[nth].send_signal(signal.SIGTERM)
        assert SERVERS[nth].wait(30) == 0
        SERVERS[nth] = serve(WORK, nth)
        wait_for("the server", lambda: is_ready(nth))


with contextlib.ExitStack() as STACK:
    WORK = pathlib.Path(STACK.enter_context(tempfile.TemporaryDirectory()))
    database = postgres(WORK)
    if database:
        os.environ["PARQUOTE_STATE"] = database[0]
        STACK.callback(database[1])
    os.environ["PARQUOTE_MASTER_KEY"] = "5a" * 32
    PORTS, ADMINS = [[free_port() for _ in range(3)] for _ in range(2)]
    issued = subprocess.run([PROGRAM, "keys", "issue", "--tier", "api_max", "--owner", "all", "--unmetered"], cwd=WORK, check=True, capture_output=True, text=True)
    KEY = issued.stdout.strip()
    SERVERS = [serve(WORK, nth) for nth in range(3)]
    port = free_port()
    nginx = subprocess.Popen(configured(WORK, port))
    STACK.callback(nginx.terminate)
    wait_for("nginx", lambda: ask(port, "/v1/status")[0] == 200)
    wait_for("three servers", lambda: all(map(is_ready, range(3))))

    # Each caller has one server, and every server has callers.
    for caller in CALLERS:
        assert ask(port, PRICES, caller)[0] == 200
    first = spread(WORK)
    assert {first[caller] for caller in CALLERS} == {f"127.0.0.1:{one}" for one in PORTS}, first
    for caller in CALLERS:
        assert ask(port, PRICES, caller)[0] == 200
    assert {caller: spread(WORK)[caller] for caller in CALLERS} == {caller: first[caller] for caller in CALLERS}
    # Other clients cannot forge the caller's address, neither through nginx nor directly.
    for to, caller in [(port, "127.0.0.70"), (PORTS[0], "127.0.0.71")]:
        assert ask(to, "/v1/market/sectors", caller, x_forwarded_for="203.0.113.9")[0] == 200
        told = lambda: "".join((WORK / f"log-{nth}").read_text() for nth in range(3))
        wait_for(f"a line of {caller}", lambda: f"from={caller} " in told())
        assert "203.0.113.9" not in told()
    # A long answer equals the server's, and connections stay open.
    one = http.client.HTTPConnection("127.0.0.1", port, source_address=(CALLERS[0], 0))
    ask(port, "/v1/openapi.json", connection=one)
    opened = one.sock
    for path in ["/v1/openapi.json", PRICES, "/v1/openapi.json"]:
        status, _, body = ask(port, path, connection=one)
    whole = ask(int(first[CALLERS[0]].split(":")[1]), "/v1/openapi.json", CALLERS[0])[2]
    assert one.sock is opened and status == 200 and len(body) > 500_000 and body == whole, f"{status}, {len(body)} of {len(whole)} bytes"
    # nginx refuses a body that exceeds the servers' limit.
    status, _, body = ask(port, "/mcp", body=b"x" * (4 << 20), content_type="application/json")
    assert status == 413 and b"nginx" in body, (status, body[:200])
    meanwhile(port, kill)
    meanwhile(port, replace)
print("three servers behind nginx: no request failed" + ("" if database else "; their state was in a file, as PostgreSQL is not there"))
