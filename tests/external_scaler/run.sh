#!/usr/bin/env bash
# Builds examples/external_scaler and asks it as KEDA does, and as gputide's own triggers of type external do.  Needs
# libgrpc++-dev, libprotobuf-dev, protobuf-compiler-grpc and python3-grpcio, and is not a part of tests/run.sh.
#
#   tests/external_scaler/run.sh [BUILD_FOLDER]     default: build/release
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}

cmake --preset release -B "$build" -DGPUTIDE_EXTERNAL_SCALER=ON -Wno-dev >/dev/null
cmake --build "$build" --target gputide_external_scaler gputided
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
protoc --proto_path=examples/external_scaler --python_out="$made" externalscaler.proto
# Debian's grpcio is of the system's own Python.
PYTHONPATH="$made" /usr/bin/python3 -B tests/external_scaler/external_scaler_test.py \
    "$build/examples/external_scaler/gputide_external_scaler" "$build/gputided"
