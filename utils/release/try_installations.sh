#!/usr/bin/env bash
# Install this package next to lm-evaluation-harness in every way that users do, and check that both work.
#
#     utils/release/try_installations.sh [DIRECTORY]
#
# Harness: normal or editable. This package: wheel or editable. For each of the four: install in both orders, list the tasks,
# run codemind_ier_sample, upgrade both, uninstall. `import lm_eval` must be the same file throughout. At the end: what
# the start-up hook costs. Needs PyPI and about 1 GB in DIRECTORY (a temporary directory by default); takes minutes.
# If DIRECTORY has our wheel (wheels/) and an environment where pip installed it (dependencies/), these are used.
#
# The harness is built from its sdist, as version 0.4.13.dev0, so that we see whether pip replaces a development version.
# Most of its tasks are left out: it indexes thousands of files otherwise.
set -euo pipefail

repository=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$(mktemp -d)}
python=${PYTHON:-python3}
mkdir -p "$work" && work=$(cd "$work" && pwd) && cd "$work"
# Byte code is made when a module is first imported: of most packages few are. pip inside of pip obeys, too.
unset PYTHONPATH PYTHONDONTWRITEBYTECODE CODEMIND_STARTUP_HOOK
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_COMPILE=0

fail() { echo "FAILED: $*" >&2; exit 1; }

# --- what all environments share: our wheel, a later one, the harness's source, and the packages that both need
copy() {
    mkdir -p "$1"
    (cd "$repository" && tar cf - --exclude='__pycache__' lm_eval_codemind tasks docs tests lm_eval_codemind.pth lm_eval_codemind.start pyproject.toml setup.py \
        setup.cfg README.md LICENSE CHANGELOG.md $(ls MANIFEST.in 2>/dev/null)) | tar xf - -C "$1"
}
[ -d ours ] || copy ours
if [ ! -d dependencies ]; then
    "$python" -m venv dependencies
    dependencies/bin/pip wheel --quiet --no-deps --wheel-dir wheels ./ours
    dependencies/bin/pip install --quiet wheels/lm_eval_codemind-[!9]*.whl
fi
# Editable installations build with this setuptools. An isolated environment for each build takes longer than the build.
dependencies/bin/pip install --quiet 'setuptools>=77' wheel
shared=$(dependencies/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
if [ ! -d harness ]; then
    # pip would take a minute to uninstall the harness's thousands of files.
    rm -rf "$shared"/lm_eval*
    dependencies/bin/pip download --quiet --no-deps --no-binary lm-eval --dest . 'lm-eval==0.4.13'
    tar xf lm_eval-0.4.13.tar.gz --exclude='lm_eval-0.4.13/lm_eval/tasks/*'
    tar xf lm_eval-0.4.13.tar.gz --wildcards --no-wildcards-match-slash 'lm_eval-0.4.13/lm_eval/tasks/*.*' lm_eval-0.4.13/lm_eval/tasks/arc
    mv lm_eval-0.4.13 harness
    sed -i 's/^version = .*/version = "0.4.13.dev0"/' harness/pyproject.toml
    copy later
    sed -i 's/^__version__ = .*/__version__ = "99.0"/' later/lm_eval_codemind/__init__.py
    dependencies/bin/pip wheel --quiet --no-deps --wheel-dir wheels ./later ./harness
fi
wheel=$(ls "$work"/wheels/lm_eval_codemind-[!9]*.whl)
later=$(ls "$work"/wheels/lm_eval_codemind-9*.whl)
normal_harness=$(ls "$work"/wheels/lm_eval-*.whl)

if unzip -l "$wheel" | awk 'NR > 3 {print $4}' | grep -v -e '^lm_eval_codemind' -e '^$' -e '^-' ; then
    fail "the wheel has files outside of lm_eval_codemind"
fi

# --- checks in the environment $environment
inside() { (cd "$work/empty" && "$environment/bin/$1" "${@:2}"); }
lm_eval_file() { inside python -c 'import lm_eval; print(lm_eval.__file__)'; }
same_file() { [ "$(lm_eval_file)" = "$file" ] || fail "$1: import lm_eval is $(lm_eval_file), was $file"; }
development_version() {
    [ "$(inside python -c 'from importlib.metadata import version; print(version("lm_eval"))')" = 0.4.13.dev0 ] ||
        fail "pip replaced the development version of the harness"
}
tasks() { inside lm_eval ls tasks > "$work/tasks" && grep -q '|arc_easy *|' "$work/tasks" || fail "$1: lm_eval ls tasks lost arc_easy"; }
ours_listed() { grep -q '|codemind_ier_sample *|' "$work/tasks"; }
found() { tasks "$1"; ours_listed || fail "$1: lm_eval ls tasks has no codemind_ier_sample"; }
absent() { tasks "$1"; ! ours_listed || fail "$1: lm_eval ls tasks has codemind_ier_sample"; }
runs() {
    inside python - run --model dummy --tasks codemind_ier_sample --limit 2 > "$work/out" 2> "$work/log" <<'PYTHON' ||
import lm_eval
from lm_eval.__main__ import cli_evaluate

cli_evaluate()
results = lm_eval.simple_evaluate(model="dummy", tasks=["codemind_ier_sample"], limit=2)
assert "r_ier,strict-match" in results["results"]["codemind_ier_sample"], results["results"]
PYTHON
        { tail -20 "$work/log"; fail "$1: lm_eval run and simple_evaluate"; }
    grep -q '|codemind_ier_sample|' "$work/out" || fail "$1: lm_eval run prints no score"
    inside codemind run --model codemind-oracle --tasks codemind_ier_sample --limit 2 2> "$work/log" |
        grep '|codemind_ier_sample|' > /dev/null || { tail -20 "$work/log"; fail "$1: codemind run"; }
}
silent_start() { [ -z "$(inside python -c pass 2>&1)" ] || fail "$1: Python does not start silently"; }

editable=(--no-build-isolation --editable)
mkdir -p empty
for harness in ${HARNESSES:-normal editable}; do
    for ours in wheel editable; do
        name="harness $harness, ours $ours"
        environment=$work/$harness-$ours
        rm -rf "$environment" && "$work/dependencies/bin/python" -m venv --without-pip "$environment"
        # pip, which is in this directory, sees the packages there as installed and leaves them alone.
        echo "$shared" > "$(inside python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth"
        if [ $harness = normal ]; then install_harness=("$normal_harness"); else install_harness=("${editable[@]}" "$work/harness"); fi
        if [ $ours = wheel ]; then install_ours=("$wheel"); else install_ours=("${editable[@]}" "$work/ours"); fi
        upgrade_ours=("$later")
        [ $ours = wheel ] || upgrade_ours=("${editable[@]}" "$work/later")

        # What the harness needs is there: pip takes seconds to find that out.
        inside python -m pip install --quiet --no-deps "${install_harness[@]}"
        file=$(lm_eval_file)
        inside python -m pip install --quiet "${install_ours[@]}"
        development_version
        same_file "$name: after installing ours" && found "$name" && CODEMIND_STARTUP_HOOK=0 absent "$name, hook off" && runs "$name" &&
            silent_start "$name"
        inside python -m pip install --quiet --upgrade "${upgrade_ours[@]}"
        inside codemind --version | grep -q 99.0 || fail "$name: the upgrade is not installed"
        development_version
        same_file "$name: after upgrading ours" && found "$name, upgraded"
        inside python -m pip install --quiet --force-reinstall --no-deps "${install_harness[@]}"
        same_file "$name: after reinstalling the harness" && found "$name, harness reinstalled"
        inside python -m pip uninstall --quiet --yes lm-eval-codemind
        same_file "$name: after uninstalling ours" && absent "$name: uninstalled" && silent_start "$name: uninstalled"

        inside python -m pip uninstall --quiet --yes lm-eval
        inside python -m pip install --quiet --no-deps "${install_ours[@]}"
        inside python -m pip install --quiet --no-deps "${install_harness[@]}"
        same_file "$name: ours first" && found "$name: ours first" && runs "$name: ours first"
        inside python -m pip uninstall --quiet --yes lm-eval
        ! lm_eval_file > /dev/null 2>&1 || fail "$name: lm_eval can be imported after it was uninstalled"
        silent_start "$name: harness uninstalled"
        echo "ok: $name"
    done
done

environment=$work/normal-wheel
inside python -m pip install --quiet --no-deps --force-reinstall "$wheel"
inside python - <<'PYTHON'
import os, subprocess, sys, time

modules = "import sys; print(sorted(name for name in sys.modules if name.startswith('lm_eval')))"
loaded = subprocess.run([sys.executable, "-c", modules], capture_output=True, text=True, check=True).stdout.strip()
assert loaded == "['lm_eval_codemind', 'lm_eval_codemind.startup']", loaded
times = {"0": [], "1": []}
for _ in range(20):
    for value, taken in times.items():
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True, env={**os.environ, "CODEMIND_STARTUP_HOOK": value})
        taken.append(1000 * (time.perf_counter() - start))
without, with_hook = (min(taken) for taken in times.values())
print(f"python -c pass: {without:.2f} ms without the hook, {with_hook:.2f} ms with it (fastest of 20)")
PYTHON
