# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY packages packages
COPY web web
COPY src src
RUN npm run build:web && npm run build:cli
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# The image has a Node of its own.
RUN rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/.cache

FROM node:24-slim
LABEL org.opencontainers.image.title="Knowledge Vault" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/web/dist web/dist
COPY --from=build /app/packages/cli packages/cli
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY docs/guide docs/guide
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "bin/serve.js"]
