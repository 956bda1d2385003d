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
  # Not all at once: four files with their services keep two cores busy. With more, each only waits for the others, and a
  # request that takes a second by itself misses its deadline. All find what is built here.
  turbo run build --output-logs=errors-only || exit
  tests --filter=@waymark/links-svc &
  tests --concurrency=1 --filter='!@waymark/links-svc' --filter='!@waymark/e2e' || status=$?
  wait $! || status=$?
  tests --filter=@waymark/e2e || status=$?
fi
turbo run test:timed --output-logs=new-only --continue --concurrency=1 "$@" || status=$?
exit "$status"
