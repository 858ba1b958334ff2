// Programs that only this repository's CI runs. Never tagged, never imported.
module github.com/managedby-dev/managedby/internal/tools

go 1.24.0
