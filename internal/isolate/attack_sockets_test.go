//go:build linux

package isolate

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

func init() { attacks["tcp"] = fillSockets }

// fillSockets writes to connections that nobody reads, and prints how many bytes they took.
func fillSockets() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	total := 0
	block := make([]byte, 64<<10)
	for range 400 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			fmt.Println(err)
			break
		}
		for {
			_ = c.SetWriteDeadline(time.Now().Add(5 * time.Millisecond))
			n, err := c.Write(block)
			total += n
			if err != nil {
				break
			}
		}
	}
	fmt.Println(total)
}

// TestAttackFullSockets: a job that fills buffers of connections reaches a limit of its own, and not that
// of the machine.
func TestAttackFullSockets(t *testing.T) {
	s := openSandbox(t, Limits{Memory: 256 << 20})
	if why := s.Weaker(); why != "" {
		t.Skip("no limit holds for a whole job here: ", why)
	}
	out, full, _ := runAttack(t, s, "tcp", Want{})
	var total int
	if _, err := fmt.Sscan(strings.TrimSpace(out), &total); !full && (err != nil || total > 512<<20 || total < 1<<20) {
		t.Errorf("%d MiB in sockets, %v: %s", total>>20, err, out)
	}
}
