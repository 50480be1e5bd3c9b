# The GitHub App: `odfix serve`, a JDK with Maven, and Node with npm beside it.
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" -t odfix .
#
# Both stages are Debian 12, so that what is built runs where it is put.
ARG GO=1.26.8
ARG DEBIAN=12.12

FROM docker.io/library/golang:${GO}-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends maven openjdk-17-jdk-headless make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=image
RUN make bin/odfix VERSION="$VERSION"

FROM docker.io/library/debian:${DEBIAN}-slim
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
