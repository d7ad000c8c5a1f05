#!/bin/bash
# Measures every way of reading a GPU against loads of known duty and period, on a machine with an NVIDIA GPU: run.sh OUT_FOLDER.
# Needs g++ 12 or newer and Python; no other part of the tree is built.  Takes 9 minutes, or 18 times GPU_LOAD_SECONDS.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:?run.sh OUT_FOLDER}
build=$(mktemp -d)
sources=()
for file in "$tree"/src/pure/base/*.cpp "$tree"/src/pure/base/pattern/*.cpp \
    "$tree"/src/net/source/gpu/{driver,driver_samples,gpm,gpus,health,library,meter,power,process_id,processes,quantity,vendor}.cpp; do
    sources+=("$file")
done
export tree build
compile() { g++ -std=c++20 -O1 -I"$tree/src" -c "$1" -o "$build/$(echo "$1" | tr / _).o"; }
export -f compile
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
for program in read cost; do
    g++ -std=c++20 -O1 -I"$tree/src" "$tree/bench/gpu_load/$program.cpp" "$build"/*.o -ldl -pthread -o "$build/gpu_load_$program"
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/machine.txt"
loads=()
for period in 0.2 1 5; do
    for duty in 0.05 0.2 0.4 0.6 0.8 0.95; do loads+=("$duty/$period:${GPU_LOAD_SECONDS:-30}"); done
done
python3 "$tree/bench/gpu_load/burst.py" --log "$out/busy.csv" "${loads[@]}" &
load=$!
"$build/gpu_load_cost" > "$out/cost.json" &
sleep 5
"$build/gpu_load_read" $((${#loads[@]} * ${GPU_LOAD_SECONDS:-30} - 4)) > "$out/readings.csv"
wait "$load"
wait
cat "$out/cost.json"
python3 "$tree/bench/gpu_load/table.py" "$out/busy.csv" "$out/readings.csv" --picture "$out/minute.svg" | tee "$out/table.md"
