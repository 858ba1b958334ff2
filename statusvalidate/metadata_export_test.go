// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import "k8s.io/apimachinery/pkg/util/validation/field"

// PlainMetadata is the short way by which ValidateMetadata accepts.
func PlainMetadata(c Change) bool { return plainMetadata(&c.New.ObjectMeta, &c.Old.ObjectMeta) }

// MetadataErrors is the long way, which every update could go.
func MetadataErrors(c Change) field.ErrorList { return metadataErrors(c) }

// PlainKey is what the short way takes for a qualified name.
func PlainKey(s string) bool { return plainKey(s) }

// PlainWord is what it takes for the value of a label.
func PlainWord(s string) bool { return plainWord(s) }

// PlainSubdomain is what it takes for a DNS subdomain.
func PlainSubdomain(s string) bool { return plainSubdomain(s) }

// PlainLabel is what it takes for a DNS label of any length.
func PlainLabel(s string) bool { return plainLabel(s) }
