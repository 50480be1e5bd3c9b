package gradle

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// state is kept with the record of a build.
type state struct {
	Gradle  string   `json:"gradle"`
	Root    string   `json:"root"`
	Path    string   `json:"path"`
	Compile []string `json:"compile"`
	Others  bool     `json:"others"` // other test tasks were not recorded
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

// Record builds the project and returns how each test task launches its tests, for the chosen
// project or for all. If nothing has changed since the last run, Record does not run Gradle.
func (p *Project) Record(ctx context.Context) ([]build.Launch, error) {
	key := p.cacheKey()
	var s state
	if launches, ok := p.Recorded(key, &s); ok && !(s.Others && p.Lacks(build.ClassesOf(launches))) {
		p.path, p.compile = s.Path, s.Compile
		err := p.moveTo(s.Root)
		p.tool.Version = s.Gradle
		return launches, err
	}
	tasks, all, err := p.recordTest(ctx)
	if err != nil {
		return nil, p.inCheckoutTerms(err)
	}
	others := p.others(all)
	if len(others) > 0 && p.Lacks(classNames(tasks)) {
		if tasks, all, err = p.recordTasks(ctx, append(p.tasks("test"), others...)); err != nil {
			return nil, p.inCheckoutTerms(err)
		}
		others = nil
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
	p.Keep(key, state{p.tool.Version, p.At.Root, p.path, p.compile, len(others) > 0}, launches)
	return launches, nil
}

// recordTest records the task test of the chosen project. Where the files of the build did not say
// enough, what Gradle says of its projects corrects the choice.
func (p *Project) recordTest(ctx context.Context) ([]*taskRecord, *buildRecord, error) {
	tasks, all, err := p.recordTasks(ctx, p.tasks("test"))
	e, failed := err.(*build.Error)
	if !failed || all == nil || e.Code != build.CodeModule && e.Code != build.CodeNoTests {
		return tasks, all, err
	}
	switch path := p.pathIn(all); {
	case p.module == "":
		return tasks, all, err
	case path == ":": // it has no tests itself
		p.path = ""
	case path != "" && path != p.path: // the settings give the folder another path than its own
		p.path = path
	case path == "" && hasAny(filepath.Join(p.At.Root, p.module), buildFiles): // the settings above do not know it
		if err := p.moveTo(filepath.Join(p.At.Root, p.module)); err != nil {
			return nil, nil, err
		}
		p.module, p.path = "", ""
	default:
		return tasks, all, err
	}
	return p.recordTasks(ctx, p.tasks("test"))
}

// moveTo makes a folder the root of the build.
func (p *Project) moveTo(root string) (err error) {
	if root != p.At.Root {
		p.At.Root = root
		p.tool, err = p.find()
	}
	return err
}

// tasks returns the task of the chosen project, or of all.
func (p *Project) tasks(name string) []string {
	if p.path == "" {
		return []string{name}
	}
	return []string{taskPath(p.path, name)}
}

// pathIn returns the path of the chosen project by its folder, or "".
func (p *Project) pathIn(b *buildRecord) string {
	if p.module == "" || b == nil {
		return ""
	}
	for _, project := range b.Projects {
		if project.Dir == p.Copy(filepath.Join(p.At.Root, p.module)) {
			return project.Path
		}
	}
	return ""
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

// recordTasks runs Gradle with odfix' init script. If the build fails, it returns what is known of
// its projects all the same.
func (p *Project) recordTasks(ctx context.Context, names []string) (tasks []*taskRecord, all *buildRecord, err error) {
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
	args := slices.Concat(p.options(p.Opts.Offline), []string{"--init-script", script, "-P" + propRecord + "=" + dir}, names)
	failed := p.run(ctx, build.Run{Dir: p.Copy(p.At.Root), Log: p.Beside("gradle.log")}, args...)
	all = &buildRecord{}
	err = p.read(filepath.Join(dir, "build.json"), all)
	switch {
	case failed != nil && err != nil:
		return nil, nil, failed
	case failed != nil:
		return nil, all, failed
	case err != nil:
		return nil, nil, &build.Error{Code: build.CodeBroken, Message: "Gradle ran, but did not run odfix' init script",
			Hint: "Gradle 4 or later is needed; `" + p.tool.Typed + " -v` shows yours.", Detail: err.Error()}
	}
	files, err := filepath.Glob(filepath.Join(dir, "task*.json"))
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		t := &taskRecord{}
		if err := p.read(file, t); err != nil {
			return nil, nil, fmt.Errorf("reading what Gradle recorded: %w", err)
		}
		tasks = append(tasks, t)
	}
	return tasks, all, nil
}

// read reads what the init script wrote. Gradle resolves symbolic links to the copy.
func (p *Project) read(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(p.Tree()); err == nil && real != p.Tree() {
		data = []byte(build.MovePrefix(string(data), real, p.Tree()))
	}
	return json.Unmarshal(data, into)
}

func classNames(tasks []*taskRecord) (out []string) {
	for _, t := range tasks {
		out = append(out, t.classNames()...)
	}
	return out
}

// launches makes launches of the tasks that run JUnit tests. It returns an error if there are none.
// jars are those of the build itself.
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
		for _, needed := range t.Needs {
			if !slices.Contains(p.compile, needed) {
				p.compile = append(p.compile, needed)
			}
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
		if p.path != "" {
			in = " in " + p.path
		}
		return nil, &build.Error{Code: build.CodeNoTests, Message: "the build runs no tests" + in,
			Hint: "Check that `" + p.typed() + "` runs any."}
	}
	return out, nil
}

// cacheKey covers all that decides what Gradle would record.
func (p *Project) cacheKey() string {
	script, _ := junit.Unpack(filepath.Join(p.Opts.Work, "jars"), junit.GradleRecord)
	home := userHome()
	scripts, _ := filepath.Glob(filepath.Join(home, "init.d", "*"))
	settings := append(scripts, filepath.Join(home, "gradle.properties"), filepath.Join(home, "init.gradle"),
		filepath.Join(home, "init.gradle.kts"), p.tool.Command[0])
	given := suite.Filter(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "ORG_GRADLE_PROJECT_") || strings.HasPrefix(kv, "GRADLE_OPTS=") || strings.HasPrefix(kv, "JAVA_OPTS=")
	})
	slices.Sort(given)
	return p.Key(settings, script, scripts, p.tool.Command, p.module, given)
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
			e.Hint = "Leave --module out: the build in " + p.At.Root + " has one project."
			var names []string
			for _, m := range modules(p.At.Root) {
				names = append(names, m.Names[1])
			}
			if len(names) > 1 {
				e.Hint = "Projects: " + strings.Join(names, ", ")
			}
		}
	}
	return err
}
