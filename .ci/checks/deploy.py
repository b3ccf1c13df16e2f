#!/usr/bin/env python3
"""Holds the examples of a deployment in server/deploy to what can be said of them without containers.

    .ci/deploy

- HAProxy and nginx find their configurations sound; without any server they answer 503 as servers do: in the envelope,
  with Retry-After and X-Request-Id;
- compose.yaml is as its schema wants it, the manifests as that of Kubernetes, and no image is without a version;
- what they name is there: settings of the command, files, volumes, anchors of selectors, ports, and the servers that the
  balancers know.

It ends with 1 where it finds something. HAProxy and nginx are Debian's packages, which root installs where they are
missing; the schemas come with Python packages, fetched once with pip. CATALOGUE is the binary; without it, .ci/cargo
builds one. .ci/cluster runs HAProxy's configuration in front of real servers.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "faults"))

from catalogue import PATIENCE, ROOT, Broken, binary, expect

DEPLOY = ROOT / "server" / "deploy"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TOOLS = CACHE / "boat-catalogue" / "tools" / "deploy-1"
PACKAGES = ("check-jsonschema==0.39.0", "kubernetes-validate==1.37.0")
KUBERNETES = "1.32"
SERVERS = {"catalogue-1", "catalogue-2", "catalogue-3"}
# Ports of the servers, as the image has them.
PORT, ADMIN_PORT = 8080, 9090


def install():
    if not (shutil.which("haproxy") and shutil.which("nginx")):
        if os.geteuid() != 0:
            sys.exit("install them first: apt-get install haproxy nginx-light")
        for command in (["update"], ["install", "-y", "--no-install-recommends", "haproxy", "nginx-light"]):
            subprocess.run(["apt-get", "-qq", *command], check=True, stdout=subprocess.DEVNULL)
    if not (TOOLS / "kubernetes_validate").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", TOOLS]
        subprocess.run([*pip, *PACKAGES], check=True, env=os.environ | {"PIP_ROOT_USER_ACTION": "ignore"})
    sys.path.insert(1, str(TOOLS))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"PYTHONPATH": str(TOOLS)})
    expect(done.returncode == 0, f"{command[0]}: {done.stdout.strip()}")


def documents(path):
    import yaml
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


@contextlib.contextmanager
def balancer(name, work, port):
    """One that runs, with servers that are not there."""
    text = (DEPLOY / name).read_text()
    text, bound = re.subn(rf"(?m)^(\s*(?:bind|listen) )\S*\b{PORT}\b", rf"\g<1>127.0.0.1:{port}", text)
    text, found = re.subn(rf"(?m)^(\s*server (?:catalogue-\d )?)catalogue-\d:{PORT}", r"\g<1>127.0.0.1:1", text)
    expect((bound, found) == (1, len(SERVERS)), f"{name} listens {bound} times, and has {found} servers")
    configuration = work / name
    if name == "haproxy.cfg":
        configuration.write_text(text)
        check, command = ["haproxy", "-c", "-f"], ["haproxy", "-db", "-f"]
    else:
        configuration.write_text(f"pid {work}/nginx.pid;\ndaemon off;\nerror_log {work}/error.log;\n{text}")
        check, command = ["nginx", "-t", "-c"], ["nginx", "-c"]
    run(*check, configuration)
    process = subprocess.Popen([*command, configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def refusal(port):
    """The 503 that is answered, once something is."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/boats") as answer:
                raise Broken(f"{answer.status} without a server")
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers, json.loads(answer.read())
        except urllib.error.URLError:
            expect(time.monotonic() < until, "it does not listen")
            time.sleep(0.02)


def check_balancer(name, port):
    with tempfile.TemporaryDirectory() as work, balancer(name, pathlib.Path(work), port):
        status, headers, body = refusal(port)
    expect(status == 503 and headers["Content-Type"] == "application/json", f"{name}: {status} {headers}")
    expect(body["error"]["code"] == "SERVICE_UNAVAILABLE" and body["error"]["message"], f"{name}: {body}")
    expect(body["error"]["requestId"] == headers["X-Request-Id"] != "", f"{name}: {body}, {headers}")
    expect(headers["Retry-After"] == "1", f"{name}: {headers}")


def check_image(name, where):
    """A version is named, but for the image that is built here."""
    expect(name == "catalogue" or re.search(r":[\w.-]*\d[\w.-]*$", name), f"{where}: {name} has no version")


def check_compose():
    path = DEPLOY / "compose.yaml"
    run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", path)
    compose, = documents(path)
    services = compose["services"]
    expect(SERVERS <= services.keys(), f"{path.name} has not every server that the balancers know")
    for name, service in services.items():
        check_image(service["image"], path.name)
        for needed in service.get("depends_on", []):
            expect(needed in services, f"{path.name}: {name} depends on {needed}, which is not there")
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            known = (path.parent / source).exists() if source.startswith(".") else source in compose["volumes"]
            expect(known, f"{path.name}: {name} has the volume {source}, which is not there")
    return services


def check_kubernetes():
    import kubernetes_validate
    manifests = [(path, one) for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")) for one in documents(path)]
    for path, one in manifests:
        try:
            kubernetes_validate.validate(one, KUBERNETES, strict=True)
        except kubernetes_validate.ValidationError as why:
            raise Broken(f"{path.name}: {one['kind']}: {why.message}") from why
    by_kind = {one["kind"]: one for _, one in manifests}
    pod = by_kind["Deployment"]["spec"]["template"]
    for path, one in manifests:
        template = one["spec"].get("template") if one["kind"] in ("Deployment", "Job") else None
        for container in containers(template):
            check_image(container["image"], path.name)
            check_container(container, template, by_kind, path.name)
    for selector in (by_kind["Deployment"]["spec"]["selector"]["matchLabels"], by_kind["Service"]["spec"]["selector"],
                     by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]):
        expect(selector.items() <= pod["metadata"]["labels"].items(), f"no pod is selected by {selector}")
    names = {one["name"]: one["containerPort"] for one in pod["spec"]["containers"][0]["ports"]}
    expect(names == {"http": PORT, "admin": ADMIN_PORT}, f"the ports of a pod are {names}")
    used = [port["targetPort"] for port in by_kind["Service"]["spec"]["ports"]]
    expect(used == ["http"], f"the service leads to {used}")
    scaled = by_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]
    expect(scaled == by_kind["Deployment"]["metadata"]["name"], f"there is no {scaled} to be scaled")


def containers(template):
    spec = template["spec"] if template else {}
    return [*spec.get("initContainers", []), *spec.get("containers", [])]


def check_container(container, template, by_kind, where):
    volumes = {one["name"] for one in template["spec"]["volumes"]}
    for mount in container["volumeMounts"]:
        expect(mount["name"] in volumes, f"{where}: there is no volume {mount['name']}")
    for source in container.get("envFrom", []):
        for kind, named in source.items():
            # The Secret is not in a file.
            expect(kind == "secretRef" or named["name"] == by_kind["ConfigMap"]["metadata"]["name"],
                   f"{where}: {named['name']} is not there")
    ports = {one["name"] for one in container.get("ports", [])}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if probe in container:
            asked = container[probe]["httpGet"]["port"]
            expect(asked in ports, f"{where}: {probe} asks the port {asked}, which is not there")


def check_settings(command):
    """A variable or an option that the command does not know would do nothing."""
    help_text = subprocess.run([command, "serve", "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for path in [DEPLOY / "compose.yaml", *(DEPLOY / "kubernetes").glob("*.yaml")]:
        for variable in sorted(set(re.findall(r"CATALOGUE_[A-Z_]+", path.read_text()))):
            expect(variable in help_text, f"{path.name}: {variable} is no setting of catalogue serve")
        for option in re.findall(r"serve, (--[a-z-]+)", path.read_text()):
            expect(f" {option} " in help_text, f"{path.name}: catalogue serve has no {option}")


def main():
    try:
        install()
        check_balancer("haproxy.cfg", free_port())
        check_balancer("nginx.conf", free_port())
        services = check_compose()
        check_kubernetes()
        check_settings(binary())
    except Broken as error:
        sys.exit(f"deploy: {error}")
    print(f"deploy: two balancers, {len(services)} services and all manifests are sound")


main()
