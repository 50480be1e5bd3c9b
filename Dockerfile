# Three images:
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" -t odfix .          # everything in one
#   docker build --build-arg VERSION=… --target server -t odfix-server .                   # server and worker
#   docker build --build-arg VERSION=… --target runner -t odfix-runner .                   # builds and tests
#
# The first is for one machine: `odfix serve`, a JDK with Maven, and Node with npm beside it. The chart
# uses the other two. odfix is linked statically, so it runs on any base. All images run as user 10001.
# Pods of runners each have another user, and the group 10001: they can read what all, or this group, can read.
#
# The base images can be pinned: --build-arg DEBIAN_IMAGE=docker.io/library/debian@sha256:…
ARG GOLANG_IMAGE=docker.io/library/golang:1.26.8-bookworm
ARG DEBIAN_IMAGE=docker.io/library/debian:12.12-slim

FROM ${GOLANG_IMAGE} AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends maven openjdk-17-jdk-headless make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
ARG VERSION=image
# What is downloaded and compiled stays beside the layers, so that builds of other sources find it.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    --mount=type=cache,target=/root/.m2/repository \
    CGO_ENABLED=0 make bin/odfix VERSION="$VERSION"

# No shell and no programs beside odfix. Folders that are written to are volumes.
FROM scratch AS server
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/bin/odfix /usr/local/bin/
COPY LICENSE /usr/share/doc/odfix/
USER 10001:10001
ENV PATH=/usr/local/bin
EXPOSE 8080 8081 8082
ENTRYPOINT ["/usr/local/bin/odfix"]
CMD ["serve"]

# What builds need. --build-arg JDK=… takes another package of Debian.
FROM ${DEBIAN_IMAGE} AS runner
ARG JDK=openjdk-17-jdk-headless
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git maven nodejs npm "$JDK" \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --create-home --home-dir /work odfix
COPY --from=build /src/bin/odfix /usr/local/bin/
COPY LICENSE /usr/share/doc/odfix/
USER 10001:10001
WORKDIR /work
ENV HOME=/work
ENTRYPOINT ["/usr/local/bin/odfix"]

FROM ${DEBIAN_IMAGE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git maven nodejs npm openjdk-17-jdk-headless \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --create-home --home-dir /var/lib/odfix odfix
COPY --from=build /src/bin/odfix /usr/local/bin/
COPY LICENSE /usr/share/doc/odfix/
USER 10001:10001
WORKDIR /var/lib/odfix
VOLUME /var/lib/odfix
ENV ODFIX_LISTEN=0.0.0.0:8080 ODFIX_DATABASE_URL=/var/lib/odfix/odfix.db
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/odfix"]
CMD ["serve"]
