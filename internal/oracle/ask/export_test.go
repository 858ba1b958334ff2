// SPDX-License-Identifier: Apache-2.0

package ask

// CacheDir is where the programs are built to.
var CacheDir = cacheDir
