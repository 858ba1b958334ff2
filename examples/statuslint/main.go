// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"time"
)

func main() {
	os.Exit(program{
		name: commandName(os.Args[0]), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now(),
	}.run(os.Args[1:]))
}
