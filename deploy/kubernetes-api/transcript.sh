#!/usr/bin/env bash
# Turns what check.sh prints into transcript.md: long lines are cut, and only the first lines of a long step
# stay.
#
#   deploy/kubernetes-api/check.sh | deploy/kubernetes-api/transcript.sh > deploy/kubernetes-api/transcript.md
set -euo pipefail
cat <<'EOF'
# The chart on a Kubernetes API

`deploy/kubernetes-api/check.sh` printed this; `deploy/kubernetes-api/transcript.sh` shortened it.
[docs/kubernetes.md](../../docs/kubernetes.md#checked-on-a-kubernetes-api) says what it checks.

```
EOF
awk -v lines=24 -v width=117 '
  function end_step() { if (count > lines) print "… (" count - lines " more lines)"; count = 0 }
  /^$/ { next }
  /^== / { end_step(); print ""; print; next }
  ++count <= lines { print (length($0) > width ? substr($0, 1, width) " …" : $0) }
  END { end_step() }'
echo '```'
