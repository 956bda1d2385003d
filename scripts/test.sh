#!/bin/sh
# Runs all tests, at most three packages at a time. Those of e2e take longest, so they run beside the others from the
# start: Turborepo would start them last. The arguments are Turborepo's, such as --force. With --filter, only the tests of
# those packages run.
export TURBO_TELEMETRY_DISABLED=1
tests() { turbo run test --output-logs=new-only --continue "$@"; }

case " $*" in
  *" --filter"*) tests --concurrency=3 "$@"; exit ;;
esac
turbo run build --output-logs=errors-only || exit
tests --filter=@waymark/e2e "$@" &
tests --filter='!@waymark/e2e' --concurrency=2 "$@"
status=$?
wait $! || status=1
exit $status
