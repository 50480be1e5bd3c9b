package storetest

import (
	"os"
	"os/exec"
)

func giveAway(string) error { return nil }

func lesser(*exec.Cmd) {}

func interrupt(p *os.Process) { p.Kill() }
