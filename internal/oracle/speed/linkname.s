// An assembly file allows the body-less declaration in upstream.go.
