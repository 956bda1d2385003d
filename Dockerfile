# syntax=docker/dockerfile:1
# One image per service: docker build --build-arg APP=links-svc -t waymark/links-svc .
# APP is gateway, links-svc, analytics-svc, mcp-svc or admin.
ARG NODE_VERSION=24.21.0

# Only the packages that the service needs, without the embedded databases. The command line for users, which admin's image
# has, is bundled from the client, so that no production dependency names that one.
FROM node:${NODE_VERSION}-trixie-slim AS workspace
ARG APP
ENV TURBO_TELEMETRY_DISABLED=1
WORKDIR /workspace
COPY . .
RUN test -n "$APP" || { echo 'give --build-arg APP=gateway|links-svc|analytics-svc|mcp-svc|admin' >&2; exit 1; } \
  && version="$(sed -n 's/^  turbo: //p' pnpm-workspace.yaml)" \
  && npx --yes "turbo@$version" prune "@waymark/$APP" @waymark/client --production --docker --out-dir /pruned \
  && cp -r scripts tsconfig.json tsconfig.build.json /pruned/full/

# The manifests are copied first, so that the install layer stays cached until a manifest or the lockfile changes.
FROM node:${NODE_VERSION}-trixie-slim AS build
ARG APP
ENV CI=true TURBO_TELEMETRY_DISABLED=1
WORKDIR /workspace
COPY --from=workspace /pruned/json/ ./
RUN npx --yes "$(node -p "require('./package.json').packageManager")" install --frozen-lockfile
COPY --from=workspace /pruned/full/ ./
RUN npx --yes "$(node -p "require('./package.json').packageManager")" exec turbo run build --filter="@waymark/$APP" \
  && scripts/image-folder.sh "$APP" /image \
  && mkdir /spool

# No shell and no package manager: only the C library, certificates, Node and the service.
FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /image /app
# Only links-svc writes files: clicks wait here for analytics-svc. Mount a volume; the rest can be read-only.
COPY --from=build --chown=65532:65532 /spool /var/lib/waymark/spool
ENV NODE_ENV=production SPOOL_DIR=/var/lib/waymark/spool
WORKDIR /app
USER 65532:65532
# Node is process 1, so SIGTERM reaches the service, which then finishes requests, flushes clicks and shuts down.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "dist/main.js"]
