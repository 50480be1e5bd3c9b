package gradle

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// state is kept with the record of a build.
type state struct {
	Gradle  string   `json:"gradle"`
	Compile []string `json:"compile"`
}

// buildRecord is what the init script writes about the whole build.
type buildRecord struct {
	Gradle   string `json:"gradle"`
	Projects []struct {
		Path  string   `json:"path"`
		Dir   string   `json:"dir"`
		Tests []string `json:"tests"` // paths of all test tasks
	} `json:"projects"`
	Jars map[string][]string `json:"jars"` // of the build's projects, with the folders of what is in them
}

// Record builds the project and returns how each test task launches its tests, for the chosen project
// or for all. If nothing has changed since the last run, Record does not run Gradle.
func (p *Project) Record(ctx context.Context) ([]build.Launch, error) {
	key := p.cacheKey()
	var s state
	if launches, ok := p.Recorded(key, &s); ok {
		p.tool.Version, p.compile = s.Gradle, s.Compile
		return launches, nil
	}
	tasks, all, err := p.recordTasks(ctx, p.tasks("test"))
	if err != nil {
		return nil, err
	}
	if more := p.others(all); len(more) > 0 && p.missesTests(tasks) {
		if tasks, all, err = p.recordTasks(ctx, append(p.tasks("test"), more...)); err != nil {
			return nil, err
		}
	}
	launches, err := p.launches(tasks, all.Jars)
	if err != nil {
		return nil, err
	}
	for i := range launches {
		if err := build.Probe(ctx, &launches[i], "jvmArgs of "+launches[i].Execution, p.typed()); err != nil {
			return nil, err
		}
	}
	p.tool.Version = cmp.Or(all.Gradle, p.tool.Version)
	p.Keep(key, state{p.tool.Version, p.compile}, launches)
	return launches, nil
}

// tasks returns the task of the chosen project, or of all.
func (p *Project) tasks(name string) []string {
	if p.module == "" || p.module == "." && len(modules(p.At.Root)) == 1 {
		return []string{name}
	}
	return []string{taskPath(projectPath(p.module), name)}
}

// projectPath is the path that Gradle gives a project by its folder, unless the settings say otherwise.
func projectPath(dir string) string {
	if dir == "." {
		return ":"
	}
	return ":" + strings.ReplaceAll(filepath.ToSlash(dir), "/", ":")
}

func taskPath(project, name string) string { return strings.TrimSuffix(project, ":") + ":" + name }

// others returns the test tasks of the chosen project, or of all, that have another name than test.
func (p *Project) others(b *buildRecord) []string {
	var out []string
	for _, project := range b.Projects {
		if p.module != "" && project.Dir != p.Copy(filepath.Join(p.At.Root, p.module)) {
			continue
		}
		for _, t := range project.Tests {
			if !strings.HasSuffix(t, ":test") {
				out = append(out, t)
			}
		}
	}
	return out
}

// recordTasks runs Gradle with odfix' init script.
func (p *Project) recordTasks(ctx context.Context, names []string) ([]*taskRecord, *buildRecord, error) {
	dir := p.Beside("record")
	if err := os.RemoveAll(dir); err != nil {
		return nil, nil, build.DiskError("cannot clear the last record", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, build.DiskError("no folder for the record", err)
	}
	if err := p.Forget(); err != nil {
		return nil, nil, err
	}
	script, err := junit.Unpack(filepath.Join(p.Opts.Work, "jars"), junit.GradleRecord)
	if err != nil {
		return nil, nil, build.DiskError("cannot unpack the init script", err)
	}
	// A stored configuration would know nothing of the init script.
	args := slices.Concat(p.options(p.Opts.Offline), []string{"--init-script", script, "-P" + propRecord + "=" + dir,
		"-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false"}, names)
	if err := p.run(ctx, build.Run{Dir: p.Copy(p.At.Root), Log: p.Beside("gradle.log")}, args...); err != nil {
		return nil, nil, p.inCheckoutTerms(err)
	}
	all := &buildRecord{}
	if err := build.ReadJSON(filepath.Join(dir, "build.json"), all); err != nil {
		return nil, nil, &build.Error{Code: build.CodeBroken, Message: "Gradle ran, but did not run odfix' init script",
			Hint: "Gradle 4 or later is needed; `" + p.tool.Typed + " -v` shows yours.", Detail: err.Error()}
	}
	files, err := filepath.Glob(filepath.Join(dir, "task*.json"))
	if err != nil {
		return nil, nil, err
	}
	sort.Strings(files)
	var out []*taskRecord
	for _, file := range files {
		t := &taskRecord{}
		if err := build.ReadJSON(file, t); err != nil {
			return nil, nil, fmt.Errorf("reading what Gradle recorded: %w", err)
		}
		out = append(out, t)
	}
	return out, all, nil
}

// missesTests reports whether no task has one of the requested tests.
func (p *Project) missesTests(tasks []*taskRecord) bool {
	known := map[string]bool{}
	for _, t := range tasks {
		for _, c := range t.classNames() {
			known[c], known[c[strings.LastIndexByte(c, '.')+1:]] = true, true
		}
	}
	return len(known) == 0 || slices.ContainsFunc(p.Opts.Tests, func(t string) bool {
		return !slices.ContainsFunc(build.PossibleClasses(t), func(c string) bool { return known[c] })
	})
}

// launches makes launches of the tasks that run JUnit tests. It returns an error if there are none. jars
// are those of the build itself.
func (p *Project) launches(tasks []*taskRecord, jars map[string][]string) ([]build.Launch, error) {
	var out []build.Launch
	p.compile = nil
	testNG := false
	for _, t := range tasks {
		if testNG = testNG || t.testNG(); t.testNG() || len(t.Classes) == 0 {
			continue
		}
		t.unpack(jars)
		out = append(out, t.launch(p.tool.Version))
		if t.Compile != "" && !slices.Contains(p.compile, t.Compile) {
			p.compile = append(p.compile, t.Compile)
		}
	}
	switch {
	case len(out) > 0 && testNG:
		out[0].Notes = append(out[0].Notes, "The build also runs tests with TestNG, which odfix does not support yet. They are left out.")
	case len(out) == 0 && testNG:
		return nil, &build.Error{Code: build.CodeFramework, Message: "the build runs its tests with TestNG, which odfix does not support yet",
			Hint: "odfix works on JUnit 3 to 6."}
	case len(out) == 0:
		in := ""
		if p.module != "" {
			in = " in " + projectPath(p.module)
		}
		return nil, &build.Error{Code: build.CodeNoTests, Message: "the build runs no tests" + in, Hint: "Check that `" + p.typed() + "` runs any."}
	}
	return out, nil
}

// cacheKey covers all that decides what Gradle would record.
func (p *Project) cacheKey() string {
	script, _ := junit.Unpack(filepath.Join(p.Opts.Work, "jars"), junit.GradleRecord)
	home := userHome()
	settings := []string{filepath.Join(home, "gradle.properties"), filepath.Join(home, "init.gradle"), filepath.Join(home, "init.gradle.kts"),
		filepath.Join(home, "init.d"), p.tool.Command[0]}
	return p.Key(settings, script, p.tool.Command, p.module, os.Getenv("GRADLE_OPTS"), os.Getenv("JAVA_OPTS"))
}

// userHome is Gradle's folder for the settings of the user.
func userHome() string {
	if dir := os.Getenv("GRADLE_USER_HOME"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".gradle")
}

// inCheckoutTerms replaces the copy's paths in an error with the checkout's.
func (p *Project) inCheckoutTerms(err error) error {
	if e, ok := err.(*build.Error); ok {
		e.Detail = strings.ReplaceAll(e.Detail, p.Tree(), p.At.Anchor)
		e.Message = strings.ReplaceAll(e.Message, p.Tree(), p.At.Anchor)
		if e.Code == build.CodeModule {
			var names []string
			for _, m := range modules(p.At.Root) {
				names = append(names, filepath.ToSlash(m.Dir))
			}
			e.Hint = "Projects: " + strings.Join(suite.Filter(names, func(n string) bool { return n != "." }), ", ")
		}
	}
	return err
}
