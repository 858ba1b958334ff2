// An assembly file allows the body-less declaration in attribute.go.
