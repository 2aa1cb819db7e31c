"""Holds the files of this folder against the program and against each other: PROGRAM.

Settings and flags must be the program's, ports and names must agree, and whoever stops a server must leave it the time to drain.
"""

import pathlib
import re
import subprocess
import sys

import yaml

PROGRAM = sys.argv[1]
FOLDER = pathlib.Path(__file__).parent
# Seconds for requests under way after draining.
ANSWERS_S = 15
faults = []


def expect(is_so, fault):
    if not is_so:
        faults.append(fault)


def help_of(command):
    return subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout


HELP = {command: help_of(command) for command in ("serve", "refresh")}
SETTINGS = set(re.findall(r"\[env: (PARQUOTE_[A-Z0-9_]+)", "".join(HELP.values())))


def check_program(name, command, settings):
    """Checks a container's command and flags, and that its settings exist in the program."""
    verb = command[0] if command else "serve"
    expect(verb in HELP, f"{name}: `{verb}` is no command that serves or refreshes")
    flags = {part.split("=")[0] for part in command[1:] if part.startswith("--")}
    unknown = {flag for flag in flags if f"{flag} " not in HELP.get(verb, "") and f"{flag}\n" not in HELP.get(verb, "")}
    unknown |= {key for key in settings if key.startswith("PARQUOTE_") and key not in SETTINGS}
    expect(not unknown, f"{name}: the program has no {', '.join(sorted(unknown))}")


def port(address):
    return int(address.rsplit(":", 1)[1])


def seconds(text):
    return int(str(text).removesuffix("s"))


def check_compose(compose, nginx):
    services = compose["services"]
    servers = {name: one for name, one in services.items() if name.startswith("replica-")}
    expect(len(servers) == 3, "compose.yaml: there are not three servers")
    for name, service in services.items():
        if service["image"] == compose["x-replica"]["image"]:
            check_program(f"compose.yaml, {name}", service.get("command", []), service["environment"])
        for needed in service.get("depends_on", []):
            expect(needed in services, f"compose.yaml, {name}: there is no service {needed}")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            is_there = (FOLDER / source).exists() if source.startswith(".") else source in compose["volumes"]
            expect(is_there, f"compose.yaml, {name}: there is no {source}")
    upstream = dict(re.findall(r"^\s*server ([\w-]+):(\d+)", nginx, re.MULTILINE))
    listening = {name: str(port(one["environment"]["PARQUOTE_LISTEN"])) for name, one in servers.items()}
    expect(upstream == listening, f"nginx.conf leads to {upstream}, and servers listen on {listening}")
    published = {int(mapping.split(":")[1]) for mapping in services["nginx"]["ports"]}
    heard = {int(number) for number in re.findall(r"^\s*listen (\d+)", nginx, re.MULTILINE)}
    expect(published == heard, f"nginx listens on {heard}, and {published} is published")
    for name, server in servers.items():
        settings = server["environment"]
        admin = port(settings["PARQUOTE_ADMIN"])
        expect(f"/127.0.0.1/{admin} " in server["healthcheck"]["test"][-1], f"{name}: its health is asked elsewhere")
        needs_s = int(settings["PARQUOTE_DRAIN_MS"]) / 1000 + ANSWERS_S
        expect(seconds(server["stop_grace_period"]) >= needs_s, f"{name}: it needs {needs_s} s to stop")
    store = services["store"]["command"]
    for text, ending in [(servers["replica-1"]["environment"]["AWS_ENDPOINT"], "-s3.port={}"), ("//postgres:5432", "")]:
        host, number = re.search(r"//([\w-]+):(\d+)", text).groups()
        expect(host in services, f"compose.yaml: there is no service {host}")
        expect(not ending or ending.format(number) in store, f"compose.yaml: the store does not listen on {number}")


def check_kubernetes(objects):
    by_kind = {one["kind"]: one for one in objects}
    maps = {one["metadata"]["name"]: one["data"] for one in objects if one["kind"] == "ConfigMap"}
    claims = {one["metadata"]["name"] for one in objects if one["kind"] == "PersistentVolumeClaim"}
    text = (FOLDER / "kubernetes.yaml").read_text()
    secrets = set(re.findall(r"--from-literal=([\w-]+)=", text))
    pods = {
        "Deployment": by_kind["Deployment"]["spec"]["template"],
        "CronJob": by_kind["CronJob"]["spec"]["jobTemplate"]["spec"]["template"],
    }
    for kind, pod in pods.items():
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        for volume in volumes.values():
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            expect(claim is None or claim in claims, f"{kind}: there is no claim {claim}")
        for container in pod["spec"]["containers"]:
            settings = {one["name"]: one.get("value") for one in container["env"]}
            for source in container["envFrom"]:
                settings |= maps[source["configMapRef"]["name"]]
            check_program(f"kubernetes.yaml, {kind}", container["args"], settings)
            for one in container["env"]:
                key = one.get("valueFrom", {}).get("secretKeyRef", {}).get("key")
                expect(key is None or key in secrets, f"{kind}: the secret that is made first has no {key}")
            for mount in container["volumeMounts"]:
                expect(mount["name"] in volumes, f"{kind}: there is no volume {mount['name']}")
    spec = pods["Deployment"]["spec"]
    server = spec["containers"][0]
    settings = {one["name"]: one.get("value") for one in server["env"]}
    ports = {one["name"]: one["containerPort"] for one in server["ports"]}
    told = {"http": port(settings["PARQUOTE_LISTEN"]), "admin": port(settings["PARQUOTE_ADMIN"])}
    expect(ports == told, f"Deployment: its ports are {ports}, and the server is told {told}")
    for probe, path in [("readinessProbe", "/readyz"), ("livenessProbe", "/healthz"), ("startupProbe", "/healthz")]:
        asked = server[probe]["httpGet"]
        expect((asked["path"], asked["port"]) == (path, "admin"), f"Deployment: {probe} asks {asked}")
    needs_s = int(settings["PARQUOTE_DRAIN_MS"]) / 1000 + ANSWERS_S
    expect(spec["terminationGracePeriodSeconds"] > needs_s, f"Deployment: it needs {needs_s} s to stop")
    unready_s = server["readinessProbe"]["periodSeconds"] * server["readinessProbe"]["failureThreshold"]
    expect(unready_s * 1000 < int(settings["PARQUOTE_DRAIN_MS"]), "Deployment: it has drained before that is noticed")
    labels = pods["Deployment"]["metadata"]["labels"]
    for kind in ("Service", "Deployment", "PodDisruptionBudget"):
        selector = by_kind[kind]["spec"]["selector"]
        expect(selector.get("matchLabels", selector) == labels, f"{kind}: it selects {selector}, not {labels}")
    other = pods["CronJob"]["metadata"]["labels"]
    expect(other != labels, "CronJob: a service would lead to its pods")
    target = by_kind["Service"]["spec"]["ports"][0]["targetPort"]
    expect(target == "http", f"Service: it leads to the port {target}")


check_compose(yaml.safe_load((FOLDER / "compose.yaml").read_text()), (FOLDER / "nginx.conf").read_text())
check_kubernetes(list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())))
sys.exit("\n".join(faults) or 0)
