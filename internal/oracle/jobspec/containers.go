// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// containerFeatures sets the fields that any container may have.
var containerFeatures = []func(*Generator, *corev1.Container){
	func(g *Generator, c *corev1.Container) { c.Command = g.words() },
	func(g *Generator, c *corev1.Container) { c.Args = []string{g.text(), g.text()} },
	func(g *Generator, c *corev1.Container) { c.WorkingDir = "/work" },
	func(g *Generator, c *corev1.Container) { c.Ports = g.ports() },
	func(g *Generator, c *corev1.Container) { c.EnvFrom = g.envFrom() },
	func(g *Generator, c *corev1.Container) { c.Env = g.env(c.Name) },
	func(g *Generator, c *corev1.Container) { c.Resources = g.resources() },
	func(g *Generator, c *corev1.Container) {
		c.TerminationMessagePath = "/dev/log"
		c.TerminationMessagePolicy = pick(g, corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)
	},
	func(g *Generator, c *corev1.Container) {
		c.ImagePullPolicy = pick(g, corev1.PullAlways, corev1.PullNever, corev1.PullIfNotPresent)
	},
	func(g *Generator, c *corev1.Container) { c.SecurityContext = g.security() },
	func(g *Generator, c *corev1.Container) { c.Stdin, c.StdinOnce, c.TTY = true, g.oneIn(2), g.oneIn(2) },
}

// runningFeatures sets what only a container that keeps running may have: no plain init container.
var runningFeatures = []func(*Generator, *corev1.Container){
	func(g *Generator, c *corev1.Container) {
		c.LivenessProbe = g.probe(1)
		c.LivenessProbe.TerminationGracePeriodSeconds = maybe(g, int64(10))
	},
	func(g *Generator, c *corev1.Container) { c.ReadinessProbe = g.probe(1 + g.Int32N(3)) },
	func(g *Generator, c *corev1.Container) { c.StartupProbe = g.probe(1) },
	func(g *Generator, c *corev1.Container) { c.Lifecycle = g.lifecycle() },
}

func (g *Generator) container(name string, p *corev1.PodSpec) corev1.Container {
	c := corev1.Container{Name: name, Image: pick(g, "example.com/a:1", "b", "c@sha256:"+strings.Repeat("0", 64))}
	each(g, 4, containerFeatures, &c)
	each(g, 6, runningFeatures, &c)
	g.mounts(&c, p)
	if g.oneIn(40) { // since 1.35
		c.RestartPolicy = ptr.To(pick(g, corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure))
		c.RestartPolicyRules = []corev1.ContainerRestartRule{{
			Action:    corev1.ContainerRestartRuleActionRestart,
			ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: g.exitCodes()},
		}}
	}
	if p.RestartPolicy == corev1.RestartPolicyNever && g.oneIn(8) {
		c.ResizePolicy = []corev1.ContainerResizePolicy{{ResourceName: corev1.ResourceCPU, RestartPolicy: corev1.NotRequired}}
	}
	return c
}

// initContainer returns one that runs first or, every second time, a sidecar.
func (g *Generator) initContainer(name string, p *corev1.PodSpec) corev1.Container {
	c := corev1.Container{Name: name, Image: "example.com/init"}
	each(g, 5, containerFeatures, &c)
	if g.oneIn(2) {
		c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		each(g, 6, runningFeatures, &c)
	}
	g.mounts(&c, p)
	return c
}

// mounts uses each volume, or not: a claim as a device or as a file system.
func (g *Generator) mounts(c *corev1.Container, p *corev1.PodSpec) {
	for _, v := range p.Volumes {
		switch {
		case g.oneIn(3):
		case v.PersistentVolumeClaim != nil && g.oneIn(2):
			c.VolumeDevices = append(c.VolumeDevices, corev1.VolumeDevice{Name: v.Name, DevicePath: "/dev/" + v.Name})
		default:
			c.VolumeMounts = append(c.VolumeMounts, g.mount(v))
		}
	}
}

func (g *Generator) mount(v corev1.Volume) corev1.VolumeMount {
	m := corev1.VolumeMount{Name: v.Name, MountPath: "/mnt/" + v.Name}
	switch g.IntN(6) {
	case 0:
		m.ReadOnly, m.RecursiveReadOnly = true, maybe(g, corev1.RecursiveReadOnlyDisabled, corev1.RecursiveReadOnlyIfPossible, corev1.RecursiveReadOnlyEnabled)
	case 1:
		m.SubPath = "sub/" + g.word()
	case 2:
		m.SubPathExpr = "$(POD_NAME)"
	case 3:
		m.MountPropagation = ptr.To(pick(g, corev1.MountPropagationNone, corev1.MountPropagationHostToContainer))
	case 4:
		if g.oneIn(10) {
			m.BindMountOptions = []string{"noexec"} // alpha in 1.37
		}
	}
	return m
}

func (g *Generator) ports() []corev1.ContainerPort {
	port := 1 + g.Int32N(60_000)
	return []corev1.ContainerPort{
		{Name: "http", ContainerPort: port, Protocol: pick(g, "", corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)},
		{ContainerPort: port + 1, HostPort: pick(g, 0, port+1), HostIP: pick(g, "", "10.0.0.1")},
	}
}

func (g *Generator) envFrom() []corev1.EnvFromSource {
	return []corev1.EnvFromSource{
		{Prefix: pick(g, "", "P_"), ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: g.reference(), Optional: maybe(g, true)}},
		{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: g.reference(), Optional: maybe(g, true)}},
	}
}

func (g *Generator) env(container string) []corev1.EnvVar {
	list := []corev1.EnvVar{
		{Name: "PLAIN", Value: g.text()},
		{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: pick(g, "metadata.name", "metadata.uid", "metadata.labels['a']", "spec.nodeName", "status.hostIPs")}}},
		{Name: "LIMIT", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: pick(g, "", container), Resource: "limits.memory", Divisor: resource.MustParse("1Mi")}}},
		{Name: "FROM_MAP", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: g.reference(), Key: "k", Optional: maybe(g, true)}}},
		{Name: "FROM_SECRET", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: g.reference(), Key: "k", Optional: maybe(g, true)}}},
	}
	if g.oneIn(20) {
		list = append(list, corev1.EnvVar{Name: "a name: with spaces", Value: "since 1.32"})
	}
	return list[g.IntN(len(list)):]
}

// quantity returns one of many forms of the same kind of number.
func (g *Generator) quantity(unit string) resource.Quantity {
	return resource.MustParse(fmt.Sprintf("%d%s", 1+g.IntN(2000), unit))
}

func (g *Generator) resources() corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU:    pick(g, resource.MustParse("0.1"), resource.MustParse("1000m"), resource.MustParse("1e-1"), g.quantity("m")),
		corev1.ResourceMemory: g.quantity("Mi"),
	}}
	if g.oneIn(2) {
		gpus := resource.MustParse(pick(g, "1", "8"))
		r.Requests["example.com/gpu"] = gpus
		r.Limits = corev1.ResourceList{"example.com/gpu": gpus, corev1.ResourceEphemeralStorage: g.quantity("G")}
	}
	return r
}

func (g *Generator) probe(successes int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: g.handler(), InitialDelaySeconds: g.Int32N(3), TimeoutSeconds: g.Int32N(3), PeriodSeconds: g.Int32N(3),
		SuccessThreshold: successes, FailureThreshold: g.Int32N(3),
	}
}

func (g *Generator) handler() corev1.ProbeHandler {
	switch g.IntN(4) {
	case 0:
		return corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: g.words()}}
	case 1:
		return corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(80), Host: g.word()}}
	case 2:
		return corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 80, Service: pick(g, nil, ptr.To("s")), Mode: pick(g, nil, nil, nil, ptr.To(corev1.GRPCProbeModeTLS))}}
	}
	return corev1.ProbeHandler{HTTPGet: g.httpGet()}
}

func (g *Generator) httpGet() *corev1.HTTPGetAction {
	return &corev1.HTTPGetAction{
		Path: "/healthz", Port: pick(g, intstr.FromInt32(80), intstr.FromString("http")), Host: g.word(), Scheme: pick(g, "", corev1.URISchemeHTTP, corev1.URISchemeHTTPS),
		Protocol:    pick(g, nil, nil, nil, ptr.To(corev1.HTTPProtocolHTTP1)), // alpha in 1.37
		HTTPHeaders: []corev1.HTTPHeader{{Name: "X-Probe", Value: g.text()}},
	}
}

func (g *Generator) lifecycle() *corev1.Lifecycle {
	return &corev1.Lifecycle{
		PostStart: pick(g, nil, &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 1}}, &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: g.words()}}, &corev1.LifecycleHandler{HTTPGet: g.httpGet()},
			&corev1.LifecycleHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(80)}}),
		PreStop: pick(g, nil,
			&corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: g.words()}},
			&corev1.LifecycleHandler{HTTPGet: g.httpGet()},
			&corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 1}},
			&corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: int64(g.IntN(2))}}), // 0 since 1.33
	}
}

func (g *Generator) security() *corev1.SecurityContext {
	s := &corev1.SecurityContext{
		Capabilities:           pick(g, nil, &corev1.Capabilities{Add: []corev1.Capability{"NET_ADMIN"}, Drop: []corev1.Capability{"ALL"}}),
		RunAsUser:              maybe(g, 0, g.Int64N(1<<31)),
		RunAsGroup:             maybe(g, 0, g.Int64N(1<<31)),
		RunAsNonRoot:           maybe(g, true, false),
		ReadOnlyRootFilesystem: maybe(g, true, false),
		SELinuxOptions:         g.seLinux(),
		SeccompProfile:         g.seccomp(),
		AppArmorProfile:        g.appArmor(),
	}
	if g.oneIn(2) {
		s.Privileged = ptr.To(g.oneIn(50)) // kube-apiserver takes true with --allow-privileged only
	} else {
		s.AllowPrivilegeEscalation = maybe(g, true, false)
	}
	if g.oneIn(20) {
		s.ProcMount = ptr.To(corev1.DefaultProcMount)
	}
	return s
}
