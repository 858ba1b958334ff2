module github.com/managedby-dev/managedby/examples/multicluster/controlplane

go 1.26.0
