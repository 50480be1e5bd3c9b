# odfix: `make demo` shows the main job, `make test` tests in minutes, `make test-all` tests everything.
SHELL := /bin/sh
JARS := odfix-harness.jar odfix-launch.jar odfix-state.jar odfix-workbench.jar
DIST := $(addprefix runner/junit/dist/,$(JARS))
JAVA_SOURCES := $(shell find runner/junit -name target -prune -o -type f \( -name '*.java' -o -name pom.xml -o -path '*/resources/*' \) -print)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# GOFLAGS may turn the stamp of commit and date off, which odfix version prints.
GOBUILD := go build -trimpath -buildvcs=auto -ldflags "-X main.version=$(VERSION)"

# A short-lived Maven is done in half the time. A JVM refuses two collectors.
SHORT_LIVED := -XX:TieredStopAtLevel=1 $(if $(findstring GC,$(JAVA_TOOL_OPTIONS)$(JDK_JAVA_OPTIONS)),,-XX:+UseSerialGC)
export MAVEN_OPTS ?= $(SHORT_LIVED)

# SQLite is C translated to Go here. Its pointer checks under -race take a quarter of the time of
# the tests that use a database, so they are off for that module.
RACE := -race '-gcflags=modernc.org/...=-d=checkptr=0'
# The race detector triples the time of a test. It is for packages that start goroutines, lock, or
# serve HTTP; the others compute, or start processes. Four are among the others although they match:
# examples starts processes, order caches primes, verdict renders what a server in its test asks, and
# most tests of investigate do jobs one after the other (test-long has the detector for the rest).
PLAIN := examples internal/investigate internal/order internal/verdict
CONCURRENT = $(sort $(patsubst %/,%,$(dir $(shell grep -rlE --include=*.go '^[[:space:]]*go |\.Go\b|"sync|/sync"|sync/|sourcegraph/conc|net/http' app examples internal runner templates))))
RACED = $(patsubst %,./%,$(filter-out $(PLAIN),$(CONCURRENT)))
# make lint vets everything, so go test does not vet again. A timeout is met only by a hang.
GOTEST := go test -tags sandbox -vet=off -timeout 120m
# Packages that run whole investigations; all packages with tests that only make test-all runs, and
# these tests.
INVESTIGATIONS := ./examples ./app
LONG_TESTS = -run "$$(go run ./internal/longtests app examples internal runner)"
LONG = $(sort $(patsubst %/,./%,$(dir $(shell grep -rl 'testing.Short()' --include=*_test.go app examples internal runner))))

.PHONY: build release jars demo demo-fix test test-all test-tools test-cluster-tools test-plain test-race test-investigations test-long test-java test-jest test-jest-versions images lint bench clean

build: bin/odfix bin/odfix-sandbox

jars: $(DIST)

# One Maven run builds them all; the stamp keeps make from running it for each.
runner/junit/dist/.built: $(JAVA_SOURCES)
	mvn -B -q -f runner/junit/pom.xml -DskipTests package
	cp $(foreach m,harness launch state workbench,runner/junit/$(m)/target/odfix-$(m).jar) runner/junit/dist/
	touch $@

$(DIST): runner/junit/dist/.built

GO_SOURCES := $(shell find app runner internal templates examples -name "*.go" -o -name "*.tmpl" -o -path "examples/*/src/*" -type f -o -path "examples/*/pom.xml" -o -path "examples/jest-mock-calls/*.js*" -o -name "*.css" -o -name "*.cjs" -o -name "*.gradle") go.mod go.sum

bin/odfix: $(DIST) $(GO_SOURCES)
	$(GOBUILD) -o $@ ./app

# What `odfix sandbox` starts: odfix with the stand-in GitHub, which a server has no use for.
bin/odfix-sandbox: $(DIST) $(GO_SOURCES)
	$(GOBUILD) -tags sandbox -o $@ ./app

# The files of a release, in dist: PLATFORMS=linux/amd64 builds only some of them.
release: $(DIST)
	go run ./internal/release -out dist -platforms "$(PLATFORMS)"

# A pull request on a stand-in GitHub, from its red build to the suggested change.
demo: build
	./bin/odfix sandbox --once --page bin/demo.html

# A red build in a checkout, and what odfix says of it.
demo-fix: build
	./examples/demo.sh

# Minutes: one run of each path a user takes, and all that is cheap.
test: build test-tools
	$(MAKE) -k -j2 test-plain test-race test-java test-jest

# Everything: what make test runs, and the tests that take long.
test-all: test
	$(MAKE) -k -j2 test-investigations test-long test-jest-versions

test-investigations: build
	$(GOTEST) -trimpath $(LONG_TESTS) ./examples
	$(GOTEST) -trimpath -run 'TestSandbox$$' ./app

# Whole pull requests run with the race detector in make test already; it doubles their time.
test-long: $(DIST) test-cluster-tools
	$(GOTEST) $(RACE) -p 1 $(LONG_TESTS) -skip 'TestSandbox$$' ./app
	$(GOTEST) $(RACE) -p 1 $(LONG_TESTS) $(filter-out $(INVESTIGATIONS),$(LONG))
	$(GOTEST) $(RACE) -run 'Turn|Crowd|Look|Progress|Race' ./internal/investigate

# The sources that run inside Jest. The tests install versions of Jest into a cache, once.
test-jest:
	node --test runner/jest/test/*.test.cjs

# 24, the oldest version, and 29 run all tests; 26 and 27 run orders.
test-jest-versions:
	ODFIX_JEST_VERSIONS="24 29" node --test runner/jest/test/*.test.cjs
	ODFIX_JEST_VERSIONS="26 27" node --test runner/jest/test/order.test.cjs runner/jest/test/reuse.test.cjs

test-java:
	mvn -B -ntp -f runner/junit/pom.xml test

test-tools:
	./.ci/postgres
	./.ci/bubblewrap
	./.ci/chromium
	./.ci/gradle
	./.ci/axe >/dev/null

# The programs of a Kubernetes control plane, and helm: minutes, once.
test-cluster-tools:
	./.ci/helm >/dev/null
	./.ci/kubernetes >/dev/null

test-plain: build
	$(GOTEST) -short -trimpath $$(go list ./... | grep -vxF "$$(go list $(RACED))")

test-race: $(DIST)
	$(GOTEST) -short $(RACE) $(RACED)

# Processes of whole investigations live shortly.
test-plain test-investigations: export JDK_JAVA_OPTIONS ?= $(SHORT_LIVED)

# Builds the images of the Dockerfile, checks them and removes them: minutes.
images:
	./.ci/images

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The Java side is linted by its own compiler settings (-Xlint:all -Werror). With -trimpath, what is
# compiled here serves make build, too.
lint: export GOFLAGS += -trimpath
lint: $(DIST)
	@test -z "$$(gofmt -l app internal runner templates examples)" || { gofmt -l app internal runner templates examples; echo "run gofmt -w on these"; exit 1; }
	go vet ./...
	go vet -tags sandbox ./app
	go run $(STATICCHECK) ./...
	go run $(STATICCHECK) -tags sandbox ./app

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
