// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/mirror"
)

// since is something that API servers take from a minor release on, or alpha: by default none does.
// The older ones do not know it, or have its feature gate off.
//
// Source: pkg/features/kube_features.go, DropDisabledTemplateFields in pkg/api/pod/util.go, and of
// the rules pkg/apis/core/validation/validation.go, 1.30 to 1.37.
type since struct {
	path  *regexp.Regexp // matches the end of a path without indexes; init containers are containers
	minor uint
	gate  string // or the rule, where there is no gate
}

// newFields are dropped by an older server. The shorter path of two is that of a release that knows
// the field, and drops what holds nothing else.
var newFields = []since{
	row(`spec\.successPolicy`, 31, "JobSuccessPolicy"),
	row(`od(A|AntiA)ffinity\..*\.(match|mismatch)LabelKeys`, 31, "MatchLabelKeysInPodAffinity"),
	row(`volumeMounts\.recursiveReadOnly`, 31, "RecursiveReadOnlyMounts"),
	row(`containers\.resizePolicy`, 33, "InPlacePodVerticalScaling"),
	row(`template\.spec\.securityContext\.supplementalGroupsPolicy`, 33, "SupplementalGroupsPolicy"),
	row(`template\.spec\.securityContext\.seLinuxChangePolicy`, 33, "SELinuxChangePolicy"),
	row(`containers\.securityContext\.procMount`, 33, "ProcMountType"),
	row(`template\.spec\.hostUsers`, 33, "UserNamespacesSupport"),
	row(`template\.spec\.resources`, 34, "PodLevelResources"),
	row(`template\.spec\.resourceClaims`, 34, "DynamicResourceAllocation"),
	row(`containers\.resources\.claims`, 34, "DynamicResourceAllocation"),
	row(`volumeClaimTemplate\.spec\.volumeAttributesClassName`, 34, "VolumeAttributesClass"),
	row(`template\.spec\.hostnameOverride`, 35, "HostnameOverride"),
	row(`template\.spec\.volumes(\.image)?`, 35, "ImageVolume"),
	row(`containers\.volumeMounts`, 35, "ImageVolume"),
	row(`containers\.restartPolicy(Rules)?`, 35, "ContainerRestartRules"),
	row(`projected\.sources\.clusterTrustBundle`, 37, "ClusterTrustBundleProjection"),
	row(`projected\.sources\.podCertificate`, 37, "PodCertificateRequest"),
	row(`spec\.scheduling`, alpha, "WorkloadWithJob"),
	row(`containers\.lifecycle(\.stopSignal)?`, alpha, "ContainerStopSignals"),
	row(`robe\.grpc\.mode`, alpha, "GRPCContainerProbeTLS"),
	row(`httpGet\.protocol`, alpha, "H2CContainerProbe"),
	row(`volumeMounts\.bindMountOptions`, alpha, "VolumeBindMountOptions"),
	row(`volumes\.emptyDir\.mode`, alpha, "EmptyDirVolumeMode"),
	row(`volumes\..*\.(u|defaultU)ser`, alpha, "AtomicWriteVolumeUserFields"),
	row(`template\.spec\.schedulingGroup`, alpha, "GenericWorkload"),
	row(`template\.spec\.evictionResponders`, alpha, "EvictionRequestAPI"),
}

// newValues are refused by an older server, or what is left of a field of which it dropped a part.
var newValues = []since{
	row(`containers\.env\.name`, 32, "RelaxedEnvironmentVariableValidation"),
	row(`lifecycle\.(preStop|postStart)\.sleep`, 33, "PodLifecycleSleepActionAllowZero"),
	row(`containers\.restartPolicy`, 35, "ContainerRestartRules"),
	row(`containers\.env\.valueFrom`, 35, "EnvFiles"),
	row(`template\.spec\.securityContext\.seLinuxChangePolicy`, 37, "SELinuxMount"),
	row(`tolerations\.operator`, alpha, "TaintTolerationComparisonOperators"),
}

// newRules are refused from a release on, and taken by the older ones. Here the worker is too new.
var newRules = []since{
	row(`containers\.volumeDevices`, 34, "no block volumes with hostUsers false"),
}

func row(path string, minor uint, gate string) since {
	return since{regexp.MustCompile(path + "$"), minor, gate}
}

func explainRefusal(worker, management buildServer, e wire.Error) (string, bool) {
	if why, ok := explain(newRules, management, worker, e.Field); ok {
		return why, true
	}
	return explain(newValues, worker, management, e.Field)
}

func explainLoss(worker, management buildServer, loss mirror.Loss) (string, bool) {
	return explain(newFields, worker, management, loss.Path)
}

// explain finds the row for a path that only one of two servers has reached.
func explain(table []since, older, newer buildServer, path string) (string, bool) {
	path = strings.ReplaceAll(withoutIndexes(path), "initContainers", "containers")
	for _, row := range table {
		if older.minor < row.minor && newer.minor >= row.minor && row.path.MatchString(path) {
			return fmt.Sprintf("%s (%s)", path, row.gate), true
		}
	}
	return "", false
}

var indexes = regexp.MustCompile(`\[[^]]*\]`)

// withoutIndexes takes [0] and [key] out of a path.
func withoutIndexes(path string) string { return indexes.ReplaceAllString(path, "") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
