# The image of the service: `docker build -t licensing .`, then see docs/operating/installing.md.

# The build uses only npm from this image. package-lock.json determines the Node that serves, with its checksum.
FROM node:26-trixie-slim AS build
WORKDIR /build/repository
# `strip`, which removes Node's debug symbols.
RUN apt-get update && apt-get install -y --no-install-recommends binutils
COPY . .
# Which commit this is, because the context has no git: see docs/operating/installing.md.
ARG COMMIT="" COMMITTED_AT=""
# npm's downloads outlive the build, so that a change of a source file does not repeat them.
RUN --mount=type=cache,target=/root/.npm node scripts/setup.mjs --production
# Copies what the service needs and nothing else, so that no other file of the repository reaches the image.
RUN cp --dereference node_modules/.bin/node ../node \
  && rm -rf node_modules/@licensing/sdk node_modules/@licensing/keygen-import packages/sdk packages/keygen-import \
    node_modules/.bin/node node_modules/node-linux-* \
  && find packages/server/src -name '*.ts' -delete \
  && mkdir ../installation \
  && cp --archive --parents LICENSE openapi.json package.json package-lock.json .npmrc node_modules deploy/backup.sh \
    packages/*/package.json packages/*/dist packages/server/build.json packages/server/bin packages/server/src ../installation

FROM debian:13-slim
ARG VERSION=1.4.0
LABEL org.opencontainers.image.title="licensing" \
  org.opencontainers.image.description="Multi-tenant licensing service" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}"
# The only library that Node needs and the base image lacks. Node includes certificates of authorities.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
COPY --from=build /build/node /usr/local/bin/node
COPY --from=build /build/installation /app
RUN ln -s /app/packages/server/bin/licensing.mjs /usr/local/bin/licensing \
  && install -d -m 0700 -o 10001 -g 10001 /data /app/node_modules/.cache

# A number, so that Kubernetes can verify that the user is not root (runAsNonRoot).
USER 10001:10001
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# Stores compiled code in the image, because a read-only root cannot store it later. It contains what a start needs, so
# the service starts once, on data that is removed.
RUN DATA_DIR=/tmp/first-start timeout --preserve-status 15 licensing serve > /dev/null && rm -rf /tmp/first-start
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["licensing"]
CMD ["serve"]
