#!/usr/bin/env bash
# Runs all tests: first those that share the machine, then those that assert seconds, one file after the other. Arguments
# go to Turborepo. The two numbers were measured on two cores; set them to try others.
set -uo pipefail
export TURBO_TELEMETRY_DISABLED=1
# Packages whose tests run at once, and test files that run at once in each of them.
packages=${TEST_PACKAGES:-3}
export TEST_WORKERS=${TEST_WORKERS:-2}
status=0
turbo run test --output-logs=new-only --continue --concurrency="$packages" "$@" || status=$?
turbo run test:timed --output-logs=new-only --continue --concurrency=1 "$@" || status=$?
exit "$status"
