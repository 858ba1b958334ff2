// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// volumeKinds has one row for each source of a volume.
var volumeKinds = []func(*Generator, *corev1.VolumeSource){
	func(g *Generator, v *corev1.VolumeSource) {
		v.HostPath = &corev1.HostPathVolumeSource{Path: "/data", Type: maybe(g, corev1.HostPathDirectory, corev1.HostPathFile)}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{Medium: pick(g, "", corev1.StorageMediumMemory), SizeLimit: maybe(g, g.quantity("Gi"))}
		v.EmptyDir.Mode = pick(g, nil, nil, ptr.To[int32](0o755))
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: g.word(), FSType: "ext4", Partition: 1, ReadOnly: true}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: g.word(), FSType: "ext4", Partition: 1, ReadOnly: true}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.GitRepo = &corev1.GitRepoVolumeSource{Repository: "https://example.com/r", Revision: "main", Directory: "d"}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.Secret = &corev1.SecretVolumeSource{SecretName: g.word(), Items: g.items(), DefaultMode: g.mode(), Optional: maybe(g, true, false), DefaultUser: g.user()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.NFS = &corev1.NFSVolumeSource{Server: "nfs.example.com", Path: "/export", ReadOnly: g.oneIn(2)}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.ISCSI = &corev1.ISCSIVolumeSource{
			TargetPortal: "10.0.0.1", IQN: "iqn.2026-01.com.example:disk", Lun: 1, ISCSIInterface: "eth0", FSType: "ext4", ReadOnly: true,
			Portals: []string{"10.0.0.2"}, DiscoveryCHAPAuth: true, SessionCHAPAuth: true, SecretRef: ptr.To(g.reference()), InitiatorName: ptr.To("iqn.2026-01.com.example:init"),
		}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.Glusterfs = &corev1.GlusterfsVolumeSource{EndpointsName: g.word(), Path: "p", ReadOnly: true}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: g.word(), ReadOnly: g.oneIn(2)}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.RBD = &corev1.RBDVolumeSource{
			CephMonitors: g.words(), RBDImage: g.word(), FSType: "ext4", RBDPool: g.word(), RadosUser: g.word(), Keyring: "/k", SecretRef: ptr.To(g.reference()), ReadOnly: true,
		}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.FlexVolume = &corev1.FlexVolumeSource{Driver: "example.com/flex", FSType: "ext4", SecretRef: ptr.To(g.reference()), ReadOnly: true, Options: g.labels()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.Cinder = &corev1.CinderVolumeSource{VolumeID: g.word(), FSType: "ext4", ReadOnly: true, SecretRef: ptr.To(g.reference())}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.CephFS = &corev1.CephFSVolumeSource{Monitors: g.words(), Path: "/p", User: g.word(), SecretFile: "/s", SecretRef: ptr.To(g.reference()), ReadOnly: true}
	},
	func(g *Generator, v *corev1.VolumeSource) {

		v.Flocker = pick(g, &corev1.FlockerVolumeSource{DatasetName: g.word()}, &corev1.FlockerVolumeSource{DatasetUUID: g.word()})

	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.DownwardAPI = &corev1.DownwardAPIVolumeSource{Items: g.downward(), DefaultMode: g.mode(), DefaultUser: g.user()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.FC = pick(g, &corev1.FCVolumeSource{TargetWWNs: g.words(), Lun: ptr.To[int32](1), FSType: "ext4", ReadOnly: true}, &corev1.FCVolumeSource{WWIDs: g.words()})
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.AzureFile = &corev1.AzureFileVolumeSource{SecretName: g.word(), ShareName: g.word(), ReadOnly: true}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: g.reference(), Items: g.items(), DefaultMode: g.mode(), Optional: maybe(g, true, false), DefaultUser: g.user()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.VsphereVolume = &corev1.VsphereVirtualDiskVolumeSource{VolumePath: "[ds] v", FSType: "ext4", StoragePolicyName: g.word(), StoragePolicyID: g.word()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.Quobyte = &corev1.QuobyteVolumeSource{Registry: "r.example.com:7861", Volume: g.word(), ReadOnly: true, User: g.word(), Group: g.word(), Tenant: g.word()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.AzureDisk = &corev1.AzureDiskVolumeSource{
			DiskName: g.word(), DataDiskURI: "https://blob.example.com/d", CachingMode: maybe(g, corev1.AzureDataDiskCachingReadOnly),
			FSType: maybe(g, "xfs"), ReadOnly: maybe(g, true), Kind: maybe(g, corev1.AzureSharedBlobDisk),
		}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.PhotonPersistentDisk = &corev1.PhotonPersistentDiskVolumeSource{PdID: g.word(), FSType: "ext4"}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.Projected = &corev1.ProjectedVolumeSource{Sources: g.projections(), DefaultMode: g.mode(), DefaultUser: g.user()}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.PortworxVolume = &corev1.PortworxVolumeSource{VolumeID: g.word(), FSType: "ext4", ReadOnly: true}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.ScaleIO = &corev1.ScaleIOVolumeSource{
			Gateway: "https://s.example.com", System: g.word(), SecretRef: ptr.To(g.reference()), SSLEnabled: true, ProtectionDomain: g.word(),
			StoragePool: g.word(), StorageMode: "ThickProvisioned", VolumeName: g.word(), FSType: "xfs", ReadOnly: true,
		}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.StorageOS = &corev1.StorageOSVolumeSource{VolumeName: g.word(), VolumeNamespace: g.word(), FSType: "ext4", ReadOnly: true, SecretRef: ptr.To(g.reference())}
	},
	func(g *Generator, v *corev1.VolumeSource) {
		v.CSI = &corev1.CSIVolumeSource{Driver: "csi.example.com", ReadOnly: maybe(g, true), FSType: maybe(g, "ext4"), VolumeAttributes: g.labels(), NodePublishSecretRef: ptr.To(g.reference())}
	},
	func(g *Generator, v *corev1.VolumeSource) { v.Ephemeral = g.ephemeral() },
	func(g *Generator, v *corev1.VolumeSource) {
		v.Image = &corev1.ImageVolumeSource{Reference: "example.com/model:1", PullPolicy: pick(g, "", corev1.PullAlways, corev1.PullNever)}
	},
}

// volumes adds volumes of all kinds, named v-0 and so on.
func (g *Generator) volumes(p *corev1.PodSpec) {
	for i := range g.IntN(4) {
		v := corev1.Volume{Name: volumeName(i)}
		if !g.oneIn(10) { // a volume of no kind is an emptyDir
			pick(g, volumeKinds...)(g, &v.VolumeSource)
		}
		p.Volumes = append(p.Volumes, v)
	}
}

func volumeName(i int) string { return "v-" + string(rune('0'+i)) }

func (g *Generator) mode() *int32 { return maybe(g, int32(0o400), 0, 0o777) }

// user is alpha in 1.37.
func (g *Generator) user() *int64 { return pick(g, nil, nil, nil, ptr.To(g.Int64N(1<<31))) }

func (g *Generator) items() []corev1.KeyToPath {
	return pick(g, nil, []corev1.KeyToPath{{Key: g.word(), Path: "a/" + g.word(), Mode: g.mode(), User: g.user()}})
}

func (g *Generator) downward() []corev1.DownwardAPIVolumeFile {
	return []corev1.DownwardAPIVolumeFile{
		{Path: "labels", FieldRef: &corev1.ObjectFieldSelector{APIVersion: pick(g, "", "v1"), FieldPath: pick(g, "metadata.labels", "metadata.annotations['a']")}, Mode: g.mode(), User: g.user()},
		{Path: "cpu", ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: "main-0", Resource: "limits.cpu", Divisor: resource.MustParse("1m")}},
	}
}

func (g *Generator) projections() []corev1.VolumeProjection {
	all := []corev1.VolumeProjection{
		{Secret: &corev1.SecretProjection{LocalObjectReference: g.reference(), Items: g.items(), Optional: maybe(g, true)}},
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: g.reference(), Items: g.items(), Optional: maybe(g, true)}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: g.downward()}},
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Audience: "vault", ExpirationSeconds: maybe(g, int64(3600)), Path: "token", User: g.user()}},
	}
	if g.oneIn(5) {
		all = append(all, corev1.VolumeProjection{ClusterTrustBundle: &corev1.ClusterTrustBundleProjection{
			SignerName: ptr.To("example.com/s"), LabelSelector: g.podSelector(), Optional: maybe(g, true), Path: "trust", User: g.user(),
		}}, corev1.VolumeProjection{ClusterTrustBundle: &corev1.ClusterTrustBundleProjection{Name: ptr.To(g.word()), Path: "trust-2"}})
	}
	if g.oneIn(5) {
		all = append(all, corev1.VolumeProjection{PodCertificate: &corev1.PodCertificateProjection{SignerName: "example.com/s", KeyType: "RSA4096", CredentialBundlePath: "bundle"}})
		all = append(all, corev1.VolumeProjection{PodCertificate: &corev1.PodCertificateProjection{
			SignerName: "example.com/s", KeyType: "ED25519", MaxExpirationSeconds: maybe(g, int32(86400)), KeyPath: "key", CertificateChainPath: "chain",
			UserAnnotations: pick(g, nil, map[string]string{"example.com/a": "b"}), User: g.user(),
		}})
	}
	return all[g.IntN(len(all)):]
}

func (g *Generator) ephemeral() *corev1.EphemeralVolumeSource {
	source := pick(g, nil, &corev1.TypedLocalObjectReference{APIGroup: ptr.To("snapshot.storage.k8s.io"), Kind: "VolumeSnapshot", Name: g.word()})
	var sourceRef *corev1.TypedObjectReference
	if source != nil && g.oneIn(2) {
		sourceRef = &corev1.TypedObjectReference{APIGroup: source.APIGroup, Kind: source.Kind, Name: source.Name}
	}
	return &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Labels: g.labels(), Annotations: g.annotations()},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:               []corev1.PersistentVolumeAccessMode{pick(g, corev1.ReadWriteOnce, corev1.ReadOnlyMany)},
			Selector:                  g.podSelector(),
			Resources:                 corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: g.quantity("Gi")}, Limits: pick(g, nil, corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("9Ti")})},
			StorageClassName:          maybe(g, "fast"),
			VolumeMode:                maybe(g, corev1.PersistentVolumeFilesystem),
			DataSource:                source,
			DataSourceRef:             sourceRef,
			VolumeAttributesClassName: pick(g, nil, nil, ptr.To(g.word())),
		},
	}}
}
