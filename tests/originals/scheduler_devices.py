"""Random devices and claims of dynamic resource allocation, as far as docs/nodes.md calls them modeled."""

from __future__ import annotations

import collections
import random
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]
GPU, NIC = "gpu.example.com", "nic.example.com"
EXTENDED = "example.com/gpu"
IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"
OF_GPU = f'device.attributes["{GPU}"]'
CAPACITY = f'device.capacity["{GPU}"]'
# Expressions that hold or not for a device with all attributes, and fail for one that lacks the attribute.
PLAIN = (
    f'{OF_GPU}.model == "h100"',
    f'{OF_GPU}.model in ["h100", "l4"]',
    f'{OF_GPU}.model.startsWith("h") || {OF_GPU}.model.endsWith("00")',
    f'{OF_GPU}.model.matches("^[hl][0-9]+$")',
    f'{OF_GPU}.model.lowerAscii().contains("h1")',
    f"{OF_GPU}.index < 2",
    f"{OF_GPU}.index >= 1 && {OF_GPU}.index != 3",
    f"!{OF_GPU}.shared",
    f'{CAPACITY}.memory.compareTo(quantity("40Gi")) >= 0',
    f'{CAPACITY}.memory.isGreaterThan(quantity("20G"))',
    f'{OF_GPU}.version.isLessThan(semver("1.10.0"))',
    f'{OF_GPU}.version.compareTo(semver("1.2.0")) >= 0',
)
GUARDED = (
    f'device.driver == "{GPU}"',
    f'device.driver != "{NIC}"',
    f'has({OF_GPU}.numa)',
    f'has({OF_GPU}.numa) && {OF_GPU}.numa == 1',
    f'"numa" in {OF_GPU}',
    f'"{GPU}" in device.attributes',
    f'device.driver == "{NIC}" || {OF_GPU}.index == 0',
)
FRAGILE = (f"{OF_GPU}.numa == 0", f"{OF_GPU}.numa < 1 || {OF_GPU}.index == 0", f'{OF_GPU}.index == "0"', f'{OF_GPU}.model < 3')


def chance(rng: random.Random, part: float) -> bool:
    return rng.random() < part


def expression(rng: random.Random) -> str:
    return rng.choice(rng.choices([PLAIN, GUARDED, FRAGILE], [6, 3, 0.3])[0])


def selectors(rng: random.Random, part: float) -> Json:
    if not chance(rng, part):
        return {}
    return {"selectors": [{"cel": {"expression": expression(rng)}} for _ in range(rng.choice([1, 1, 2]))]}


def made(kind: str, name: str, spec: Json, **metadata: Any) -> Json:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def classes(rng: random.Random) -> list[Json]:
    of_gpu = {"cel": {"expression": f'device.driver == "{GPU}"'}}
    of_nic = {"cel": {"expression": f'device.driver == "{NIC}"'}}
    is_big = {"cel": {"expression": f'{CAPACITY}.memory.compareTo(quantity("40Gi")) >= 0'}}
    of_class = {"gpu": [of_gpu], "nic": [of_nic], "big": [of_gpu, is_big]}
    out = [made("DeviceClass", name, {"selectors": list_of}) for name, list_of in of_class.items()]
    for item in out:
        item["metadata"]["creationTimestamp"] = f"2026-01-0{rng.randint(1, 3)}T00:00:00Z"
        if chance(rng, {"gpu": 0.7, "big": 0.3}.get(item["metadata"]["name"], 0)):
            item["spec"]["extendedResourceName"] = EXTENDED
    if chance(rng, 0.2):
        rule = {"deviceSelector": rng.choice([{"driver": GPU}, {"pool": "n0"}, {"device": "gpu-0"}]), "taint": taint(rng)}
        out.append(made("DeviceTaintRule", "rule", rule))
    return out


def taint(rng: random.Random) -> Json:
    return {"key": rng.choice(["health", "maintenance"]), "value": rng.choice(["bad", ""]), "effect": rng.choice(["NoSchedule", "NoExecute", "None"])}


# ---- What nodes offer.


def slices_of(rng: random.Random, node: str) -> list[Json]:
    out: list[Json] = []
    if chance(rng, 0.85):
        out += partitioned(rng, node) if chance(rng, 0.25) else whole(rng, node)
    if chance(rng, 0.3):
        nics = [{"name": f"nic-{index}", "attributes": {"resource.kubernetes.io/pcieRoot": {"string": rng.choice("rs")}}} for index in range(2)]
        out.append(slice_of(node, NIC, "nic", {"devices": nics}))
    return out


def slice_of(node: str, driver: str, part: str, offers: Json, *, generation: int = 1, count: int = 1) -> Json:
    pool = {"name": node, "generation": generation, "resourceSliceCount": count}
    return made("ResourceSlice", f"{node}-{part}", {"driver": driver, "nodeName": node, "pool": pool, **offers})


def gpu(rng: random.Random, index: int, *, model: str) -> Json:
    attributes: Json = {"model": {"string": model}, "index": {"int": index}, "shared": {"bool": chance(rng, 0.2)}}
    attributes["version"] = {"version": rng.choice(["1.2.0", "1.9.3", "1.10.0", "1.2.0-rc.1"])}
    if chance(rng, 0.7):
        attributes["numa"] = {"int": index % 2}
    attributes["resource.kubernetes.io/pcieRoot"] = {"string": "rs"[index // 2 % 2]}
    out: Json = {"name": f"gpu-{index}", "attributes": attributes, "capacity": {"memory": {"value": rng.choice(["80Gi", "40Gi", "24Gi"])}}}
    if chance(rng, 0.1):
        del out["attributes"][rng.choice(["model", "resource.kubernetes.io/pcieRoot"])]
    if chance(rng, 0.1):
        out["taints"] = [taint(rng)]
    return out


def whole(rng: random.Random, node: str) -> list[Json]:
    model = rng.choice(["h100", "a100", "l4"])
    all_of_them = [gpu(rng, index, model=model) for index in range(rng.choice([1, 2, 4, 5]))]
    if chance(rng, 0.7):
        out = [slice_of(node, GPU, "gpu", {"devices": all_of_them})]
    else:
        cut = len(all_of_them) // 2
        out = [slice_of(node, GPU, part, {"devices": some}, count=2) for part, some in (("b", all_of_them[:cut]), ("a", all_of_them[cut:]))]
    if chance(rng, 0.1):  # a slice is missing
        for item in out:
            item["spec"]["pool"]["resourceSliceCount"] += 1
    if chance(rng, 0.1):  # an older generation is still there
        out.append(slice_of(node, GPU, "old", {"devices": [gpu(rng, 9, model="h100")]}, generation=0))
    return out


def partitioned(rng: random.Random, node: str) -> list[Json]:
    """GPUs of 7 slices and 8 parts of the memory."""
    sets, parts = [], []
    for index in range(rng.choice([1, 2])):
        name = f"gpu-{index}-counters"
        sets.append({"name": name, "counters": {"slices": {"value": "7"}, "memory": {"value": "80Gi"}}})
        for profile, slices, memory in (("7g", 7, "80Gi"), ("3g", 3, "40Gi"), ("3g-b", 3, "40Gi"), ("1g", 1, "10Gi"), ("1g-b", 1, "10Gi")):
            counters = {"slices": {"value": str(slices)}, "memory": {"value": memory}}
            device = gpu(rng, index, model="h100")
            device |= {"name": f"gpu-{index}-{profile}", "capacity": {"memory": {"value": memory}}}
            parts.append({**device, "consumesCounters": [{"counterSet": name, "counters": counters}]})
    rng.shuffle(parts)
    return [slice_of(node, GPU, "counters", {"sharedCounters": sets}, count=2), slice_of(node, GPU, "parts", {"devices": parts}, count=2)]


def hold(rng: random.Random, pod: Json, extra: list[Json]) -> None:
    """Gives a pod on a node a claim with devices of that node that no other claim has."""
    node, name = pod["spec"]["nodeName"], pod["metadata"]["name"]
    slices = [item["spec"] for item in extra if item["kind"] == "ResourceSlice" and item["spec"]["nodeName"] == node]
    offered = {device["name"]: (spec["driver"], device) for spec in slices if spec["pool"]["generation"] for device in spec.get("devices", ())}
    used = taken(extra, node)
    free = [device for device in offered if device not in used]
    chosen = rng.sample(free, min(len(free), rng.choice([1, 1, 2])))
    if not chosen or chance(rng, 0.4) or not fits_gpus(offered[device][1] for device in [*used, *chosen]):
        return
    results = [{"request": "r0", "driver": offered[device][0], "pool": node, "device": device} for device in chosen]
    requests = [{"name": "r0", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": len(results)}}]
    claim = made("ResourceClaim", f"{name}-claim", {"devices": {"requests": requests}}, namespace=pod["metadata"]["namespace"])
    claim["status"] = {
        "allocation": {"devices": {"results": results}, "nodeSelector": only(node)},
        "reservedFor": [{"resource": "pods", "name": name, "uid": name}],
    }
    pod["metadata"]["uid"] = name
    pod["spec"]["resourceClaims"] = [{"name": "d", "resourceClaimName": f"{name}-claim"}]
    extra.append(claim)


def fits_gpus(parts: Iterable[Json]) -> bool:
    """Tells whether all of these partitions fit their GPUs together."""
    used: collections.Counter[tuple[str, str]] = collections.Counter()
    for part in parts:
        for consumed in part.get("consumesCounters", ()):
            for name, counter in consumed["counters"].items():
                used[consumed["counterSet"], name] += int(counter["value"].removesuffix("Gi"))
    return all(amount <= {"slices": 7, "memory": 80}[name] for (_, name), amount in used.items())


def taken(extra: list[Json], node: str) -> list[str]:
    """The devices of a node that claims hold."""
    results = [result for item in extra for result in item.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ())]
    return [result["device"] for result in results if result["pool"] == node]


# ---- What pods claim.


def exact(rng: random.Random, *, first_of: bool = False) -> Json:
    out: Json = {"deviceClassName": rng.choice(["gpu", "gpu", "gpu", "big", "nic"]), **selectors(rng, 0.5)}
    if chance(rng, 0.12):
        out["allocationMode"] = "All"
    elif chance(rng, 0.6):
        out |= {"allocationMode": "ExactCount", "count": rng.choice([1, 1, 1, 2, 2, 3] if chance(rng, 0.97) else [32, 33])}
    if not first_of and chance(rng, 0.05):
        out["adminAccess"] = True
    if chance(rng, 0.2):
        health = {"key": "health", "operator": "Exists"}
        out["tolerations"] = [rng.choice([{"operator": "Exists"}, health, {"key": "health", "value": "bad", "effect": "NoSchedule"}])]
    return out


def claim_spec(rng: random.Random) -> Json:
    requests: list[Json] = []
    for index in range(rng.choice([1, 1, 1, 2])):
        if chance(rng, 0.25):
            requests.append({"name": f"r{index}", "firstAvailable": [{"name": f"s{k}", **exact(rng, first_of=True)} for k in range(2)]})
        else:
            requests.append({"name": f"r{index}", "exactly": exact(rng)})
    out: Json = {"requests": requests}
    if chance(rng, 0.25):
        kind = rng.choice(["matchAttribute", "matchAttribute", "distinctAttribute"])
        constraint: Json = {kind: rng.choice([f"{GPU}/numa", f"{GPU}/model", f"{GPU}/index", "resource.kubernetes.io/pcieRoot"])}
        if chance(rng, 0.4):
            request = rng.choice(requests)
            constraint["requests"] = [rng.choice([request["name"], f"{request['name']}/s0"]) if "firstAvailable" in request else request["name"]]
        out["constraints"] = [constraint]
    return {"devices": out}


def add_claims(rng: random.Random, pod: Json, extra: list[Json], *, single: bool) -> None:
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    references: list[Json] = []
    for index in range(rng.choice([1, 1, 1, 2])):
        at = f"{name}-{index}"
        if single and chance(rng, 0.3):
            extra.append(made("ResourceClaim", at, claim_spec(rng), namespace=namespace))
            references.append({"name": f"d{index}", "resourceClaimName": at})
            if index == 0 and chance(rng, 0.3):
                allocate(rng, extra)
            continue
        if single and chance(rng, 0.2):  # the claim of a template is there already
            extra.append(made("ResourceClaim", at, claim_spec(rng), namespace=namespace))
            extra[-1]["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": name, "controller": True}]
            pod["metadata"]["uid"] = name
            pod["status"].setdefault("resourceClaimStatuses", []).append({"name": f"d{index}", "resourceClaimName": at})
            references.append({"name": f"d{index}", "resourceClaimTemplateName": "any"})
            continue
        extra.append(made("ResourceClaimTemplate", at, {"spec": claim_spec(rng)}, namespace=namespace))
        references.append({"name": f"d{index}", "resourceClaimTemplateName": at})
    pod["spec"]["resourceClaims"] = references


def allocate(rng: random.Random, extra: list[Json]) -> None:
    """Gives the newest claim a device that is free."""
    claim = extra[-1]
    free = [(item["spec"], device) for item in extra if item["kind"] == "ResourceSlice" and item["spec"]["pool"]["generation"]
            for device in item["spec"].get("devices", ()) if device["name"] not in taken(extra, item["spec"]["nodeName"])]  # fmt: skip
    if not free:
        return
    spec, device = rng.choice(free)
    held = {each["name"]: each for item in extra if item["kind"] == "ResourceSlice" for each in item["spec"].get("devices", ())
            if item["spec"]["nodeName"] == spec["nodeName"] and each["name"] in taken(extra, spec["nodeName"])}  # fmt: skip
    if fits_gpus([*held.values(), device]):
        results = [{"request": "r0", "driver": spec["driver"], "pool": spec["pool"]["name"], "device": device["name"]}]
        claim["status"] = {"allocation": {"devices": {"results": results}, "nodeSelector": only(spec["nodeName"])}}


def only(node: str) -> Json:
    return {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}


def add_extended(rng: random.Random, spec: Json) -> None:
    names = rng.choice([[EXTENDED], [EXTENDED], [IMPLICIT], [EXTENDED, IMPLICIT]])
    for holder in spec["containers"] + spec.get("initContainers", []):
        if chance(rng, 0.6):
            amount = {name: str(rng.choice([1, 1, 2, 3])) for name in names}
            resources = holder["resources"]
            resources["requests"] = {**resources.get("requests", resources.get("limits", {})), **amount}
            resources["limits"] = {**resources.get("limits", {}), **amount}
