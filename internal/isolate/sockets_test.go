package isolate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAttackSocketMemory: buffers of sockets have one limit for the machine. A root worker raises it so
// far that a job reaches its own limit of memory first, and never lowers it.
func TestAttackSocketMemory(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"tcp_mem": "100 200 9000000000\n", "udp_mem": "9000000000 9000000000 9000000001\n"}
	if err := os.MkdirAll(filepath.Join(dir, "net", "ipv4"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "net", "ipv4", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &Sandbox{root: true, sysctls: dir, groups: hierarchies{v2: "/a"}, o: Options{Limits: Limits{Memory: 4 << 30}}}
	page := int64(os.Getpagesize())
	changed, err := s.AllowSockets(3)
	if want := []string{"net.ipv4.tcp_mem=3145728 3145728 9000000000"}; err != nil || page == 4096 && !slices.Equal(changed, want) {
		t.Errorf("%v %v", changed, err)
	}
	if again, err := s.AllowSockets(3); err != nil || len(again) > 0 {
		t.Errorf("again: %v %v", again, err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "net", "ipv4", "udp_mem")); string(text) != files["udp_mem"] {
		t.Errorf("lowered to %s", text)
	}
	s.sysctls = t.TempDir()
	if changed, err := s.AllowSockets(3); err != nil || len(changed) > 0 {
		t.Errorf("without these files: %v %v", changed, err)
	}
}
