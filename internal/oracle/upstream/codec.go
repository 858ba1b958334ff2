// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

var (
	serializer = jsonSerializer()
	decoder    = legacyscheme.Codecs.DecoderToVersion(serializer, batch.SchemeGroupVersion)
	encoder    = legacyscheme.Codecs.EncoderForVersion(serializer, batchv1.SchemeGroupVersion)
	jobKind    = batchv1.SchemeGroupVersion.WithKind("Job")
)

// jsonSerializer is the one that the API server takes for application/json. A release whose scheme has none is none that
// this program was written for, and nothing could be asked of it.
func jsonSerializer() runtime.Serializer {
	info, ok := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		panic("the scheme has no JSON")
	}
	return info.Serializer
}

// decode reads a Job as the API server reads a request's body or a stored object: decoded, defaulted
// and converted to the internal version.
func decode(body []byte, typed bool) (*batch.Job, error) {
	if typed {
		var err error
		if body, err = retype(body); err != nil {
			return nil, err
		}
	}
	obj, _, err := decoder.Decode(body, &jobKind, &batch.Job{})
	if err != nil {
		return nil, err
	}
	return obj.(*batch.Job), nil
}

// retype makes of a body what a client with Go types would have sent.
func retype(body []byte) ([]byte, error) {
	var job batchv1.Job
	if err := json.Unmarshal(body, &job); err != nil {
		return nil, err
	}
	return json.Marshal(&job)
}

// encode writes a Job in batch/v1.
func encode(job *batch.Job) ([]byte, error) {
	return runtime.Encode(encoder, job)
}
