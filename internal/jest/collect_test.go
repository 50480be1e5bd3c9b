package jest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// TestCollect: several processes find the suite that one finds, with its order and its problems, also
// where files cannot be loaded or end their process.
func TestCollect(t *testing.T) {
	from, work := example(t, "jest-mock-calls")
	dir := t.TempDir()
	files := map[string]string{"broken03.test.js": "it('x', () => {", "ending07.test.js": "process.kill(process.pid, 'SIGKILL');"}
	for i := range 2 * filesApart {
		// No two files have the same size, by which Jest orders them.
		files[fmt.Sprintf("many%02d.test.js", i)] = fmt.Sprintf("it('first %02d', () => {});\nit('second', () => {});\n// %0*d\n", i, 7*i%50, 0)
	}
	for _, name := range []string{"package.json", "package-lock.json", "mailer.js", "mailer.test.js"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	write(t, dir, files)
	var found []*suite.Suite
	for _, parallel := range []int{1, 2} {
		p, err := Language{}.Open(t.Context(), project.Options{Dir: dir, Work: work, Log: zap.NewNop(), Parallel: parallel})
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, p.Suite())
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := len(found[0].Order()); n < 4*filesApart || len(found[0].Problems) != 2 {
		t.Errorf("%d tests, problems %+v", n, found[0].Problems)
	}
	if !reflect.DeepEqual(found[0].Order(), found[1].Order()) {
		t.Errorf("one process: %v\ntwo: %v", found[0].Order(), found[1].Order())
	}
	if !reflect.DeepEqual(found[0].Problems, found[1].Problems) {
		t.Errorf("one process: %+v\ntwo: %+v", found[0].Problems, found[1].Problems)
	}
}
