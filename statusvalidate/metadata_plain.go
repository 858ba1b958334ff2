// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// plainMetadata reports that the API server has nothing to object to, for metadata as nearly all
// Jobs have it. It never says so wrongly, for the checks of k8s.io/apimachinery v0.34 to v0.37; false
// says nothing at all, and the checks themselves must decide. It allocates nothing.
//
// What asServerFills overwrites is not looked at.
func plainMetadata(sent, old *metav1.ObjectMeta) bool {
	return plainIdentity(sent, old) && plainTimes(sent, old) &&
		plainLabels(sent.Labels) && plainAnnotations(sent.Annotations) &&
		plainOwners(sent.OwnerReferences) && plainFinalizers(sent.Finalizers) &&
		(old.DeletionTimestamp == nil || slices.Equal(sent.Finalizers, old.Finalizers))
}

func plainIdentity(sent, old *metav1.ObjectMeta) bool {
	return sent.Name == old.Name && plainSubdomain(sent.Name) &&
		sent.Namespace == old.Namespace && len(sent.Namespace) <= 63 && plainLabel(sent.Namespace) &&
		(sent.GenerateName == "" || plainSubdomain(strings.TrimSuffix(sent.GenerateName, "-"))) &&
		(sent.UID == "" || sent.UID == old.UID) &&
		old.Generation >= 0
}

func plainTimes(sent, old *metav1.ObjectMeta) bool {
	period, stored := sent.DeletionGracePeriodSeconds, old.DeletionGracePeriodSeconds
	return (!old.CreationTimestamp.IsZero() || sent.CreationTimestamp.IsZero()) &&
		(!old.DeletionTimestamp.IsZero() || sent.DeletionTimestamp.IsZero()) &&
		(period == nil || stored != nil && *period == *stored)
}

func plainLabels(labels map[string]string) bool {
	for key, value := range labels {
		if !plainKey(key) || value != "" && !plainWord(value) {
			return false
		}
	}
	return true
}

func plainAnnotations(annotations map[string]string) bool {
	const limit = 256 << 10 // of all together, from 1.30 to 1.37
	size := 0
	for key, value := range annotations {
		if size += len(key) + len(value); size > limit || !plainKey(key) {
			return false
		}
	}
	return true
}

// plainOwners are of any kind but Event, and at most one of them is the controller.
func plainOwners(owners []metav1.OwnerReference) bool {
	controllers := 0
	for i := range owners {
		o := &owners[i]
		if o.Name == "" || o.UID == "" || o.Kind == "" || o.Kind == "Event" || !plainAPIVersion(o.APIVersion) {
			return false
		}
		if o.Controller != nil && *o.Controller {
			controllers++
		}
	}
	return controllers <= 1
}

func plainAPIVersion(s string) bool {
	group, version, grouped := strings.Cut(s, "/")
	if !grouped {
		return s != ""
	}
	return group != "" && version != "" && strings.IndexByte(version, '/') < 0
}

// plainFinalizers have a domain. Kubernetes' own without one exclude each other.
func plainFinalizers(names []string) bool {
	for _, name := range names {
		if strings.IndexByte(name, '/') < 0 || !plainKey(name) {
			return false
		}
	}
	return true
}

// plainKey is a qualified name: a word, or a subdomain, a slash and a word.
func plainKey(s string) bool {
	prefix, word, prefixed := strings.Cut(s, "/")
	if !prefixed {
		return plainWord(s)
	}
	return plainSubdomain(prefix) && plainWord(word)
}

// plainWord is what a label's value may be when it is not empty, and a key after the slash.
func plainWord(s string) bool {
	if s == "" || len(s) > 63 || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool { return isLowerOrDigit(c) || 'A' <= c && c <= 'Z' }

// plainSubdomain is a DNS subdomain: labels with dots between.
func plainSubdomain(s string) bool {
	if len(s) > 253 {
		return false
	}
	for {
		label, rest, more := strings.Cut(s, ".")
		if !plainLabel(label) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

// plainLabel is a label of a DNS name, of any length.
func plainLabel(s string) bool {
	if s == "" || !isLowerOrDigit(s[0]) || !isLowerOrDigit(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isLowerOrDigit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
