// Programs for those who work on this repository. Never tagged, never imported.
module github.com/managedby-dev/managedby/internal/tools

go 1.24.0
