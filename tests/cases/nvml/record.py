#!/usr/bin/env python3
"""Prints what NVML says of this machine's GPUs, code by code, as JSON: `record.py > h200.json` on a machine with a driver.

Asks the library by ctypes and knows nothing of gputide: the record is what a test of gputide is held against.
With a command as arguments a second snapshot is taken 5 s into its run, under its load.
"""
from __future__ import annotations

import ctypes
import datetime
import json
import subprocess
import sys
import time
from typing import Any

nvml = ctypes.CDLL("libnvidia-ml.so.1")
Device = ctypes.c_void_p


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


class Memory2(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint)] + [(name, ctypes.c_ulonglong) for name in ("total", "reserved", "free", "used")]


def fields(of: ctypes.Structure) -> dict[str, int]:
    return {name: getattr(of, name) for name, _ in of._fields_}


def struct(call: str, device: Any, into: ctypes.Structure) -> dict[str, int]:
    return {"code": getattr(nvml, call)(device, ctypes.byref(into)), **fields(into)}


def number(call: str, device: Any, *more: Any) -> dict[str, int]:
    into = ctypes.c_uint()
    return {"code": getattr(nvml, call)(device, *more, ctypes.byref(into)), "value": into.value}


def text(call: str, *before: Any) -> str:
    into = ctypes.create_string_buffer(96)
    code = getattr(nvml, call)(*before, into, 96)
    return into.value.decode() if code == 0 else f"NVML {code}"


def mig_mode(device: Any) -> dict[str, int]:
    now, pending = ctypes.c_uint(), ctypes.c_uint()
    code = nvml.nvmlDeviceGetMigMode(device, ctypes.byref(now), ctypes.byref(pending))
    return {"code": code, "current": now.value, "pending": pending.value}


def gpu(index: int) -> dict[str, Any]:
    device = Device()
    out: dict[str, Any] = {"index": index, "handle": nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device))}
    memory_2 = Memory2(version=ctypes.sizeof(Memory2) | 2 << 24)
    return out | {
        "uuid": text("nvmlDeviceGetUUID", device),
        "name": text("nvmlDeviceGetName", device),
        "utilization": struct("nvmlDeviceGetUtilizationRates", device, Utilization()),
        "memory": struct("nvmlDeviceGetMemoryInfo", device, Memory()),
        "memory_2": struct("nvmlDeviceGetMemoryInfo_v2", device, memory_2),
        "temperature": number("nvmlDeviceGetTemperature", device, 0),
        "power": number("nvmlDeviceGetPowerUsage", device),
        "mig_mode": mig_mode(device),
        "most_instances": number("nvmlDeviceGetMaxMigDeviceCount", device),
    }


def snapshot(load: str) -> dict[str, Any]:
    count = ctypes.c_uint()
    code = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"time": now, "load": load, "count": {"code": code, "value": count.value},
            "gpus": [gpu(index) for index in range(count.value)]}


def main() -> None:
    out: dict[str, Any] = {"init": nvml.nvmlInit_v2()}
    out |= {"driver_version": text("nvmlSystemGetDriverVersion"), "nvml_version": text("nvmlSystemGetNVMLVersion")}
    out["snapshots"] = [snapshot("none")]
    if len(sys.argv) > 1:
        with subprocess.Popen(sys.argv[1:]) as load:
            time.sleep(5)
            out["snapshots"].append(snapshot("busy"))
            load.terminate()
    nvml.nvmlShutdown()
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
