// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package cluster

import "syscall"

// dieWithParent does nothing: only Linux can.
func dieWithParent(*syscall.SysProcAttr) {}
