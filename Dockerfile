# syntax=docker/dockerfile:1
# docs/reference/install.md describes how to build it, also so that the same commit gives the same image.
ARG NODE=docker.io/library/node:22-alpine3.22

FROM ${NODE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# What gwconf version -o json says: the sources come without git.
ARG SOURCE_COMMIT=unknown
RUN SOURCE_COMMIT="${SOURCE_COMMIT}" npm run build && node scripts/pack-action.mjs /package

FROM ${NODE} AS gwconf
COPY --from=build /package /usr/local/lib/gwconf
RUN ln -s ../lib/gwconf/dist/gwconf.cjs /usr/local/bin/gwconf
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["gwconf"]

# With git, which "gwconf plan --base" needs. It is the one that Alpine has on the day of the build.
FROM gwconf AS gwconf-git
USER 0:0
# hadolint ignore=DL3018
RUN apk add --no-cache git
USER 1000:1000

# Without --target, it is the image without git.
FROM gwconf
