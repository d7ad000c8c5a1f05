#!/usr/bin/env python3
"""A load in bursts with a known share of time, for GPU 0: `burst.py --log busy.csv 0.4/1 0.05/0.2:30 ...`.

Each argument is DUTY/PERIOD[:SECONDS]: busy for DUTY of each PERIOD seconds, for so long.  A burst is one kernel that spins on the GPU's own
clock over all multiprocessors, so that its length is exact; with --matrix it is a chain of bf16 matrix products by PyTorch.  The log has
one line for each burst: its begin and end on CLOCK_MONOTONIC, in nanoseconds.  The CUDA driver is asked by ctypes; nothing else is needed.
"""
from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable
from typing import TextIO

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 nanoseconds) {
    .reg .pred %again;
    .reg .u64 %begin, %now, %wanted;
    ld.param.u64 %wanted, [nanoseconds];
    mov.u64 %begin, %globaltimer;
wait:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begin;
    setp.lt.u64 %again, %now, %wanted;
    @%again bra wait;
    ret;
}
"""
Burst = Callable[[float], None]  # for so many seconds


def spinning() -> Burst:
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name: str, *arguments: object) -> None:
        code = getattr(cuda, name)(*arguments)
        if code != 0:
            raise SystemExit(f"{name}: CUDA error {code}")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"spin")

    def burst(seconds: float) -> None:
        nanoseconds = ctypes.c_uint64(int(seconds * 1e9))
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(nanoseconds), ctypes.c_void_p))
        call("cuLaunchKernel", kernel, 132, 1, 1, 256, 1, 1, 0, None, arguments, None)
        call("cuCtxSynchronize")

    return burst


def multiplying() -> Burst:
    import torch

    left = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    right = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)

    def burst(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(4):
                torch.matmul(left, right)
            torch.cuda.synchronize()

    burst(0.5)
    return burst


def run(burst: Burst, duty: float, period: float, seconds: float, log: TextIO) -> None:
    begin = time.monotonic()
    for index in range(max(1, round(seconds / period))):
        time.sleep(max(0.0, begin + index * period - time.monotonic()))
        if duty <= 0:
            continue
        started = time.monotonic_ns()
        burst(duty * period)
        log.write(f"{started},{time.monotonic_ns()}\n")
    log.flush()
    time.sleep(max(0.0, begin + seconds - time.monotonic()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("loads", nargs="+", metavar="DUTY/PERIOD[:SECONDS]")
    parser.add_argument("--log", default="/dev/null")
    parser.add_argument("--matrix", action="store_true")
    options = parser.parse_args()
    burst = multiplying() if options.matrix else spinning()
    with open(options.log, "w", encoding="utf-8") as log:
        for load in options.loads:
            share, _, seconds = load.partition(":")
            duty, period = (float(part) for part in share.split("/"))
            run(burst, duty, period, float(seconds or 30), log)


if __name__ == "__main__":
    main()
