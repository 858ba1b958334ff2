// SPDX-License-Identifier: Apache-2.0

package cluster

import "syscall"

// dieWithParent makes the kernel end a process when this one is killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
