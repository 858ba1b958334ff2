package ask

// CacheDir is where the programs are built to.
var CacheDir = cacheDir
