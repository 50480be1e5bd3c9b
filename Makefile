# odfix: `make demo` shows the main job, `make test` runs every test.
SHELL := /bin/sh
JARS := odfix-harness.jar odfix-launch.jar odfix-state.jar odfix-workbench.jar
DIST := $(addprefix runner/junit/dist/,$(JARS))
JAVA_SOURCES := $(shell find runner/junit -name target -prune -o -type f \( -name '*.java' -o -name pom.xml -o -path '*/resources/*' \) -print)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOBUILD := go build -trimpath -ldflags "-X main.version=$(VERSION)"

# A short-lived Maven is done in half the time. A JVM refuses two collectors.
SHORT_LIVED := -XX:TieredStopAtLevel=1 $(if $(findstring GC,$(JAVA_TOOL_OPTIONS)$(JDK_JAVA_OPTIONS)),,-XX:+UseSerialGC)
export MAVEN_OPTS ?= $(SHORT_LIVED)

# These start processes, and compute, and run nothing side by side within the Go process.
PLAIN := ./examples ./internal/order

.PHONY: build jars demo demo-fix test test-go test-plain test-app test-pulls test-front test-rest test-java lint bench clean

build: bin/odfix bin/odfix-runner

jars: $(DIST)

# One Maven run builds them all; the stamp keeps make from running it for each.
runner/junit/dist/.built: $(JAVA_SOURCES)
	mvn -B -q -f runner/junit/pom.xml -DskipTests package
	cp $(foreach m,harness launch state workbench,runner/junit/$(m)/target/odfix-$(m).jar) runner/junit/dist/
	touch $@

$(DIST): runner/junit/dist/.built

GO_SOURCES := $(shell find app runner internal templates examples -name "*.go" -o -name "*.tmpl" -o -path "examples/*/src/*" -type f -o -path "examples/*/pom.xml" -o -name "*.css") go.mod go.sum

bin/odfix: $(DIST) $(GO_SOURCES)
	$(GOBUILD) -o $@ ./app

bin/odfix-runner: $(DIST) $(GO_SOURCES)
	$(GOBUILD) -o $@ ./runner

# A pull request on a stand-in GitHub, from its red build to the suggested change.
demo: build
	./bin/odfix sandbox --once --page bin/demo.html

# A red build in a checkout, and what odfix says of it.
demo-fix: build
	./examples/demo.sh

test: build test-java test-go

test-java:
	mvn -B -ntp -f runner/junit/pom.xml test

test-go: $(DIST)
	./.ci/postgres
	./.ci/bubblewrap
	./.ci/chromium
	$(MAKE) -k -j2 test-plain test-app test-pulls test-front test-rest

# Two at a time, the longest first, and of each one package at a time. Where whole investigations run, their processes are short-lived, too.
test-plain test-app test-pulls: export JDK_JAVA_OPTIONS ?= $(SHORT_LIVED)
test-plain: bin/odfix bin/odfix-runner
	go test -p 1 -timeout 60m $(PLAIN)

# SQLite is C translated to Go here: checking its pointers under -race took a quarter of the processor time of tests with a database. For it alone that is off.
RACE = go test -race '-gcflags=modernc.org/...=-d=checkptr=0' -p 1 -timeout 60m
OTHERS = go list ./... | grep -vxF "$$(go list $(PLAIN) ./app)" | grep

# Whole pull requests are played with the race detector once: it doubles their processor time.
test-app: $(DIST)
	$(RACE) -skip 'TestSandbox$$/^[^v]' ./app

test-pulls: $(DIST)
	go test -timeout 60m -run 'TestSandbox$$' -skip 'TestSandbox$$/^v' ./app

test-front: $(DIST)
	$(RACE) $$($(OTHERS) '/internal/[a-h]')

test-rest: $(DIST)
	$(RACE) $$($(OTHERS) -v '/internal/[a-h]')

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The Java side is linted by its own compiler settings (-Xlint:all -Werror).
lint: $(DIST)
	@test -z "$$(gofmt -l app internal runner templates examples)" || { gofmt -l app internal runner templates examples; echo "run gofmt -w on these"; exit 1; }
	go vet ./...
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...
	go run $(STATICCHECK) ./...

# Seconds from a failing order to proved patches, for one test or several (VICTIM="A#a B#b"), beside iFixFlakies where its plug-in is in the local repository.
bench:
	@test -n "$(SUBJECT)" && test -n "$(VICTIM)" || { echo "make bench needs a Maven checkout and one of its order-dependent tests, such as"; \
	  echo "  make bench SUBJECT=../http-request/lib VICTIM=HttpRequestTest#postWithVaragsQueryParams"; \
	  echo "IDFLAKIES=<version> also measures iFixFlakies, where that version of its plug-in is in the local repository."; exit 2; }
	@test -f "$(SUBJECT)/pom.xml" || { echo "$(SUBJECT) has no pom.xml: SUBJECT is the folder of a Maven project"; exit 2; }
	$(MAKE) build
	./docs/benchmarks/fix.sh "$(SUBJECT)" "$(VICTIM)" $(IDFLAKIES)

clean:
	rm -rf bin runner/junit/dist/*.jar runner/junit/dist/.built
	mvn -B -q -f runner/junit/pom.xml clean
