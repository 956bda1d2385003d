"""Validates rendered objects: Kubernetes' own schemas, strictly, and what only the API's validation finds. Used by
deploy/check.sh and by fuzz_values.py. Needs kubernetes-validate."""

import functools
import json
import re
import sys

import importlib_resources
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

VERSIONS = ("1.30", "1.34")
# Kubernetes has no schemas for these.
FOREIGN = ("monitoring.coreos.com/", "gateway.networking.k8s.io/", "keda.sh/", "external-secrets.io/")
LABEL_NAME = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


@functools.cache
def contents(version, name):
    folder = importlib_resources.files("kubernetes_validate") / "kubernetes-json-schema" / f"v{version}.0-local-strict"
    return json.loads((folder / name).read_text())


@functools.cache
def validator(version, kind, api_version):
    """Returns the validator of a kind. Throws FileNotFoundError if the version does not have it."""
    group = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    schema = contents(version, f"{kind.lower()}-{group}.json")
    registry = Resource.from_contents(schema) @ (Resource.from_contents(contents(version, "_definitions.json")) @ Registry())
    return Draft202012Validator(schema, registry=registry)


@functools.lru_cache(maxsize=None)
def faults_of_text(text, version):
    """Most objects of two renderings are equal, so the result is kept by the text."""
    one = json.loads(text)
    faults = [
        f'{".".join(str(key) for key in error.absolute_path)}: {error.message[:200]}'
        for error in validator(version, one["kind"], one["apiVersion"]).iter_errors(one)
    ]
    return faults + names_and_labels(one)


def names_and_labels(one):
    kind, metadata = one["kind"], one["metadata"]
    faults = []
    pattern = SERVICE_NAME if kind in ("Service", "Job") else OBJECT_NAME
    if not pattern.fullmatch(metadata["name"]):
        faults.append(f'{metadata["name"]} is no name of a {kind}')
    pods = [one["spec"]] if kind == "Pod" else [one["spec"]["template"]["spec"]] if "template" in one.get("spec", {}) else []
    places = [metadata] + ([one["spec"]["template"]["metadata"]] if pods and kind != "Pod" else [])
    for labels in [place.get("labels", {}) for place in places] + [pod.get("nodeSelector", {}) for pod in pods]:
        for name, value in labels.items():
            if not LABEL_NAME.fullmatch(name) or not LABEL_VALUE.fullmatch(value):
                faults.append(f"{name}: {value} is no label")
    if kind == "NetworkPolicy":  # A port that is a text is a name.
        rules = one["spec"].get("ingress", []) + one["spec"].get("egress", [])
        ports = [port["port"] for rule in rules for port in rule.get("ports", [])]
        faults += [f"the port {port} is a text" for port in ports if isinstance(port, str) and port.isdigit()]
    for pod in pods:
        containers = pod.get("initContainers", []) + pod["containers"]
        for what, names in [
            ("container", [container["name"] for container in containers]),
            ("volume", [volume["name"] for volume in pod.get("volumes", [])]),
            *[("variable", [variable["name"] for variable in container.get("env", [])]) for container in containers],
            *[("path", [mount["mountPath"] for mount in container.get("volumeMounts", [])]) for container in containers],
        ]:
            faults += [f"two entries of the {what} {name}" for name in {name for name in names if names.count(name) > 1}]
    return faults


def routes(one):
    """Returns the paths and services of an Ingress or HTTPRoute, for each of its hosts."""
    if one["kind"] == "Ingress":
        for rule in one["spec"].get("rules", []):
            yield {path["path"]: path["backend"]["service"]["name"] for path in rule["http"]["paths"]}
    if one["kind"] == "HTTPRoute":
        yield {
            match["path"]["value"]: rule["backendRefs"][0]["name"]
            for rule in one["spec"]["rules"]
            for match in rule["matches"]
        }


def opened_paths(one):
    """Paths of links-svc that are for the proxy alone must not be reached through it."""
    return [
        "/internal leads to links-svc"
        for paths in routes(one)
        if paths.get("/", "").endswith("-links-svc") and not paths.get("/internal", "").endswith("-gateway")
    ]


def faults(documents, versions=VERSIONS):
    """Returns what is wrong with the objects of one rendering, as lines."""
    found = []
    seen = set()
    for one in documents:
        name = f'{one["kind"]} {one["metadata"]["name"]}'
        if name in seen:
            found.append(f"{name} is rendered twice")
        seen.add(name)
        found += [f"{name}: {fault}" for fault in opened_paths(one)]
        if one["apiVersion"].startswith(FOREIGN):
            found += [f"{name}: {fault}" for fault in names_and_labels(one)]
            continue
        text = json.dumps(one, sort_keys=True)
        for version in versions:
            found += [f"{name} (Kubernetes {version}): {fault}" for fault in faults_of_text(text, version)]
    return found


if __name__ == "__main__":
    failed = False
    for path in sys.argv[1:]:
        with open(path) as file:
            documents = [one for one in yaml.load_all(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if one]
        lines = faults(documents)
        print("\n".join(f"{path}: {line}" for line in lines), end="\n" if lines else "", file=sys.stderr)
        failed = failed or bool(lines)
        print(f'{path.rsplit("/", 1)[-1]}: {len(documents)} objects are valid for Kubernetes {" and ".join(VERSIONS)}' if not lines else f"{path}: not valid")
    sys.exit(1 if failed else 0)
