#!/usr/bin/env bash
# Runs all tests: first those that share the machine, then those that assert seconds, one file after the other. Arguments
# say which packages, as Turborepo's filters do. The numbers were measured on two cores; set TEST_WORKERS to try others.
set -uo pipefail
export TURBO_TELEMETRY_DISABLED=1
# Test files of a package that run at once.
export TEST_WORKERS=${TEST_WORKERS:-2}
status=0
tests() { turbo run test --output-logs=new-only --continue "$@"; }

if [ $# -gt 0 ]; then
  tests --concurrency=3 "$@" || status=$?
else
  # The longest begin first: alone at the end, they would leave half of the machine idle.
  longest=(@waymark/e2e @waymark/links-svc)
  # The others run beside them, one after the other: these six workers and their services keep two cores busy. More would
  # only wait for each other, and a request that takes seconds by itself would miss its deadline.
  # Both runs below find what is built here.
  turbo run build --output-logs=errors-only || exit
  tests --concurrency=2 "${longest[@]/#/--filter=}" &
  tests --concurrency=1 "${longest[@]/#/--filter=!}" || status=$?
  wait $! || status=$?
fi
turbo run test:timed --output-logs=new-only --continue --concurrency=1 "$@" || status=$?
exit "$status"
