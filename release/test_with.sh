#!/bin/sh
# Runs the quick tests with one Python and one set of versions: test_with.sh PYTHON FOLDER CONSTRAINTS
set -eu
python=$1 folder=$2 constraints=$3
slow='spark or server or browser or docs or process or big'
unset PYTHONDONTWRITEBYTECODE || true
[ -d "$folder" ] || "$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --constraint "$constraints" --editable '.[dev]'
"$folder/bin/python" -m pytest -n auto -m "not ($slow)" --constructors plain,duckdb-csv,duckdb-arrow,sqlite \
    --hypothesis-profile quick
