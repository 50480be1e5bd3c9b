package maven

import (
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
)

// newCompiler assembles javac's options as the compiler plugin does.
func newCompiler(r *mojoRecord) *build.Compiler {
	p := r.Parameters
	c := &build.Compiler{JavaHome: r.JavaHome, ClassPath: r.ClassPath, ProcessorPath: r.ProcessorPath, Encoding: p.text("encoding")}
	if c.Encoding != "" {
		c.Args = append(c.Args, "-encoding", c.Encoding)
	}
	c.Args = append(c.Args, levelArgs(p, before9(r.JavaHome))...)
	c.Args = append(c.Args, debugArgs(p)...)
	if p.flag("parameters") {
		c.Args = append(c.Args, "-parameters")
	}
	if p.flag("enablePreview") {
		c.Args = append(c.Args, "--enable-preview")
	}
	if proc := p.text("proc"); proc != "" {
		c.Args = append(c.Args, "-proc:"+proc)
	}
	if list := p.list("annotationProcessors"); len(list) > 0 {
		c.Args = append(c.Args, "-processor", strings.Join(list, ","))
	}
	c.Args = append(c.Args, extraArgs(p)...)
	return c
}

// levelArgs returns the options for the language level. Test settings win over general ones, and a
// release wins over source and target. A compiler before Java 9 has no release option, so the
// compiler plugin gives it the release as source and target.
func levelArgs(p parameters, old bool) []string {
	if release := p.first("testRelease", "release"); release != "" {
		if old {
			return []string{"-source", release, "-target", release}
		}
		return []string{"--release", release}
	}
	var args []string
	if source := p.first("testSource", "source"); source != "" {
		args = append(args, "-source", source)
	}
	if target := p.first("testTarget", "target"); target != "" {
		args = append(args, "-target", target)
	}
	return args
}

// before9 reports whether a JDK, or the JRE in it, is older than Java 9, which removed rt.jar.
func before9(home string) bool {
	return build.Exists(filepath.Join(home, "lib", "rt.jar")) || build.Exists(filepath.Join(home, "jre", "lib", "rt.jar"))
}

func debugArgs(p parameters) []string {
	if !p.flag("debug") {
		return nil
	}
	if level := p.text("debuglevel"); level != "" {
		return []string{"-g:" + level}
	}
	return []string{"-g"}
}

// extraArgs returns the options in compilerArgs, compilerArgument and the old map
// compilerArguments. The map's keys come with or without a dash. Options that turn warnings into
// errors are left out, because a candidate patch may cause warnings.
func extraArgs(p parameters) []string {
	args := p.list("compilerArgs")
	if one := p.first("testCompilerArgument", "compilerArgument"); one != "" {
		args = append(args, one)
	}
	table := p.table("testCompilerArguments")
	if len(table) == 0 {
		table = p.table("compilerArguments")
	}
	for _, key := range build.SortedKeys(table) {
		args = append(args, "-"+strings.TrimPrefix(key, "-"))
		if value := table[key]; value != "" {
			args = append(args, value)
		}
	}
	return suite.Filter(args, func(a string) bool {
		return a != "" && a != "-Werror" && !strings.HasPrefix(a, "-Xlint")
	})
}
