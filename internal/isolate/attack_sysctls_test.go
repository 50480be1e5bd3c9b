package isolate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// plant makes files below a folder, as in /proc.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAttackSocketMemory: buffers of sockets, closed connections and open files have one limit for
// the machine. A root worker raises it so far that a job reaches its own limit of memory first, and
// never lowers it.
func TestAttackSocketMemory(t *testing.T) {
	if os.Getpagesize() != 4096 {
		t.Skip("other pages")
	}
	const most = "18446744073709551615" // beyond 63 bits
	for name, c := range map[string]struct {
		groups hierarchies
		files  map[string]string
		want   []string
	}{
		"version 2": {hierarchies{v2: "/a"}, map[string]string{"net/ipv4/tcp_mem": "100 200 9000000000\n",
			"net/ipv4/udp_mem": "9000000000 9000000000 9000000001\n", "net/ipv4/tcp_max_orphans": "8192\n", "fs/file-max": "9\n"},
			[]string{"net.ipv4.tcp_mem=3145728 3145728 9000000000", "net.ipv4.tcp_max_orphans=6291456", "fs.file-max=67108864"}},
		"version 1": {hierarchies{}, map[string]string{"net/ipv4/tcp_mem": "1\t2\t3\n", "net/ipv4/udp_mem": "1\t2\t3\n",
			"net/ipv4/tcp_max_orphans": "7000000\n", "fs/file-max": most + "\n"},
			[]string{"net.ipv4.tcp_mem=6316032 6316032 6316032"}},
		"a container": {hierarchies{v2: "/a"}, map[string]string{"fs/file-max": most}, nil},
	} {
		files := map[string]string{}
		for file, text := range c.files {
			files["sys/"+file] = text
		}
		s := &Sandbox{root: true, proc: plant(t, files), groups: c.groups, o: Options{Limits: Limits{Memory: 4 << 30}}}
		if changed, err := s.RaiseLimits(3); err != nil || !slices.Equal(changed, c.want) {
			t.Errorf("%s: %v %v", name, changed, err)
		}
		if again, err := s.RaiseLimits(3); err != nil || len(again) > 0 {
			t.Errorf("%s: again: %v %v", name, again, err)
		}
	}
	s := &Sandbox{root: true, proc: "/proc", o: Options{Limits: Limits{Memory: 1 << 62}}}
	for _, c := range s.sysctls(1) {
		if c.name == "net.ipv4.tcp_max_orphans" && c.need != 1<<31-1 {
			t.Errorf("more than the kernel takes: %d", c.need)
		}
	}
}

// TestLowLimits: what odfix may not raise is named, with its value.
func TestLowLimits(t *testing.T) {
	s := &Sandbox{proc: plant(t, map[string]string{"sys/fs/file-max": "9"}), o: Options{Limits: Limits{Memory: 192 << 20}}}
	if low := s.LowLimits(2); len(low) != 0 { // it could be raised
		t.Errorf("%v", low)
	}
	file := s.file(sysctl{name: "fs.file-max"})
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	want := []string{"fs.file-max=2097152"}
	if os.Geteuid() == 0 { // root may
		want = nil
	}
	if low := s.LowLimits(2); !slices.Equal(low, want) {
		t.Errorf("%v", low)
	}
	s.groups.lack = "none"
	if low := s.LowLimits(2); len(low) != 0 {
		t.Errorf("without a limit of a job's memory: %v", low)
	}
}
