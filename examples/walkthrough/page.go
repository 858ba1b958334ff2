// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/managedby-dev/managedby/internal/cli"

// page is the text of a report in the making.
type page struct{ cli.Page }
