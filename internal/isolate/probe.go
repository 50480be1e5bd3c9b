package isolate

import (
	"fmt"
	"os"
)

// probeEnv makes a program that calls Main look around and say what it sees.
const probeEnv = "ODFIX_ISOLATE_PROBE"

// probeSays is what it says where the walls stand.
const probeSays = "isolated\n"

func probeIfAsked() {
	if os.Getenv(probeEnv) == "" {
		return
	}
	if wrong := inspect(); wrong != "" {
		fmt.Println(wrong)
		os.Exit(1)
	}
	fmt.Print(probeSays)
	os.Exit(0)
}
