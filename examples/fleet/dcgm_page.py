"""Simulates what dcgm-exporter would read from the GPUs, and the page it would print.

In: a Deployment, the offered load, the number of the collection.  Out: readings, then exposition text 0.0.4 with the
labels, their order, the number formats and the HELP texts of dcgm-exporter 4.x.  Pure.

The exporter knows pods and containers but no Deployments: there is no `deployment` label on this page, as there is none on
a real one.  The scrape configuration makes it out of the pod's name (see examples/quickstart/prometheus.yml.in).
"""
from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

from deployment import Deployment, Gpu, Pod

FRAME_BUFFER_MIB = 81_229  # an 80 GB board less what driver and firmware keep
MODEL_MIB = 61_440         # an inference server allocates its memory once, at start
DRIVER_VERSION = "550.54.15"


@dataclass(frozen=True)
class Reading:
    """One GPU at one collection."""

    util_percent: int = 0
    memory_used_mib: int = 0
    energy_mj: int = 4_946_400_000  # since the driver was loaded: a day at idle


def _power_w(reading: Reading) -> float:
    return 57.25 + 3.35 * reading.util_percent


# Field name, HELP text, value; in order of the field numbers of DCGM: 100, 150, 155, 156, 203, 251, 252, 1001.
FIELDS = (
    ("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", lambda r: str(1410 if r.util_percent else 210)),
    ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", lambda r: str(31 + r.util_percent * 35 // 100)),
    ("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", lambda r: f"{_power_w(r):.6f}"),
    ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "Total energy consumption since boot (in mJ).", lambda r: str(r.energy_mj)),
    ("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", lambda r: str(r.util_percent)),
    ("DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).", lambda r: str(FRAME_BUFFER_MIB - r.memory_used_mib)),
    ("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", lambda r: str(r.memory_used_mib)),
    ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.",
     lambda r: f"{0.0094 * r.util_percent:.6f}"),
)
COUNTERS = {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}


def collect(fleet: Deployment, load: float, collection: int) -> dict[Gpu, Reading]:
    """Spreads the load evenly over the ready replicas: 250 over 4 gives 62 or 63 % each, plus noise of one point.

    A starting pod holds its GPU and reads 0; so does a GPU that no pod holds."""
    holders = {pod.gpu: pod for pod in fleet.pods if pod.gpu is not None}
    share = load / max(1, fleet.ready_count())
    return {gpu: _reading(gpu, holders.get(gpu), share, collection) for gpu in fleet.gpus}


def _reading(gpu: Gpu, holder: Pod | None, share: float, collection: int) -> Reading:
    if holder is None:
        return Reading()
    if not holder.ready:
        return Reading(memory_used_mib=MODEL_MIB // 3)
    return Reading(_busy_percent(gpu, share, collection), MODEL_MIB)


def _busy_percent(gpu: Gpu, share: float, collection: int) -> int:
    """Noise is -1, 0 or +1, the same on every run; a GPU without work reads 0 and a saturated one 100, without noise."""
    exact = round(share)
    if exact <= 0 or exact >= 100:
        return max(0, min(100, exact))
    noise = zlib.crc32(f"{gpu.uuid} {collection}".encode()) % 3 - 1
    return max(1, min(100, exact + noise))


def counted(now: dict[Gpu, Reading], before: dict[Gpu, Reading], elapsed_s: float) -> dict[Gpu, Reading]:
    """The readings with each GPU's energy moved on from the collection before; energy is what no GPU can keep still."""
    return {gpu: replace(reading, energy_mj=before.get(gpu, Reading()).energy_mj + round(1000 * elapsed_s * _power_w(reading)))
            for gpu, reading in now.items()}


def page(fleet: Deployment, readings: dict[Gpu, Reading], hide_starting: bool = False) -> str:
    """The body of GET /metrics.  Pod labels are those of now, numbers those of the last collection, as with the exporter.

    hide_starting: the GPU of a pod that is not ready has no series at all, as while its node is still being set up."""
    holders = {pod.gpu: pod for pod in fleet.pods if pod.gpu is not None}
    shown = [gpu for gpu in fleet.gpus if not (hide_starting and gpu in holders and not holders[gpu].ready)]
    labels = {gpu: _labels(gpu, holders.get(gpu), fleet) for gpu in shown}
    lines: list[str] = []
    for name, text, value in FIELDS:
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {'counter' if name in COUNTERS else 'gauge'}"]
        lines += [f"{name}{{{labels[gpu]}}} {value(readings.get(gpu, Reading()))}" for gpu in shown]
    return "".join(f"{line}\n" for line in lines)


def _labels(gpu: Gpu, holder: Pod | None, fleet: Deployment) -> str:
    """Identity, then label fields, then the pod that holds the device; an idle device has no pod labels at all."""
    pairs = [
        ("gpu", str(gpu.index)), ("UUID", gpu.uuid), ("pci_bus_id", gpu.pci_bus_id), ("device", f"nvidia{gpu.index}"),
        ("modelName", gpu.model), ("Hostname", gpu.node), ("DCGM_FI_DRIVER_VERSION", DRIVER_VERSION),
    ]
    if holder is not None:
        pairs += [("container", fleet.container), ("namespace", fleet.namespace), ("pod", holder.name)]
    return ",".join(f'{name}="{value}"' for name, value in pairs)
