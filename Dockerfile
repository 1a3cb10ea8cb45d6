# The image of the service: `docker build -t licensing .`, then see docs/operating/installing.md.

# The build uses only npm from this image. package-lock.json determines the Node that serves, with its checksum.
FROM node:26-trixie-slim AS build
WORKDIR /app
# `strip`, which removes Node's debug symbols.
RUN apt-get update && apt-get install -y --no-install-recommends binutils
COPY package.json package-lock.json .npmrc ./
COPY packages/server/package.json packages/server/
COPY packages/server/bin packages/server/bin
COPY packages/server/src packages/server/src
COPY packages/guides/package.json packages/guides/
COPY packages/guides/client packages/guides/client
COPY packages/guides/pages packages/guides/pages
COPY packages/guides/src packages/guides/src
COPY packages/sdk/package.json packages/sdk/README.md packages/sdk/LICENSE packages/sdk/
COPY packages/sdk/scripts packages/sdk/scripts
COPY packages/sdk/src packages/sdk/src
COPY sdks/python/pyproject.toml sdks/python/README.md sdks/python/LICENSE sdks/python/
COPY sdks/python/src sdks/python/src
COPY sdks/go sdks/go
COPY sdks/c/CMakeLists.txt sdks/c/licensing.pc.in sdks/c/README.md sdks/c/LICENSE sdks/c/
COPY sdks/c/examples sdks/c/examples
COPY sdks/c/include sdks/c/include
COPY sdks/c/src sdks/c/src
COPY packages/dashboard/package.json packages/dashboard/index.html packages/dashboard/vite.config.ts packages/dashboard/
COPY packages/dashboard/public packages/dashboard/public
COPY packages/dashboard/scripts/build.ts packages/dashboard/scripts/
COPY packages/dashboard/src packages/dashboard/src
COPY packages/portal/package.json packages/portal/index.html packages/portal/vite.config.ts packages/portal/
COPY packages/portal/scripts/build.ts packages/portal/scripts/
COPY packages/portal/src packages/portal/src
COPY openapi.json tsconfig.json ./
COPY packages/dashboard/tsconfig.json packages/dashboard/
COPY packages/portal/tsconfig.json packages/portal/
COPY scripts/setup.mjs scripts/bundle.mjs scripts/guides.mjs scripts/dashboard.mjs scripts/portal.mjs scripts/
COPY scripts/built-folder.mjs scripts/compress-files.ts scripts/replace-folder.ts scripts/
COPY scripts/production-packages.mjs scripts/trim-installation.mjs scripts/
RUN node scripts/setup.mjs --production \
  && cp --dereference node_modules/.bin/node /usr/local/bin/locked-node \
  && rm -rf scripts packages/sdk sdks node_modules/@licensing/sdk node_modules/.bin/node node_modules/node-linux-* \
    packages/guides/client packages/guides/pages packages/guides/src openapi.json tsconfig.json \
  && find packages/dashboard packages/portal -mindepth 1 -maxdepth 1 ! -name dist ! -name package.json -exec rm -rf {} + \
  && find packages/server/src -name '*.ts' -delete
COPY deploy/backup.sh deploy/
COPY LICENSE ./

FROM debian:13-slim
ARG VERSION=1.0.0
LABEL org.opencontainers.image.title="licensing" \
  org.opencontainers.image.description="Multi-tenant licensing service" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}"
# The only library that Node needs and the base image lacks. Node includes certificates of authorities.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
COPY --from=build /usr/local/bin/locked-node /usr/local/bin/node
COPY --from=build /app /app
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
