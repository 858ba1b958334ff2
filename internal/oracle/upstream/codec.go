// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

var (
	codec, errCodec = newCodec()
	jobKind         = batchv1.SchemeGroupVersion.WithKind("Job")
)

// newCodec is what the API server takes for application/json. A release without one can answer nothing.
func newCodec() (runtime.Codec, error) {
	info, ok := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		return nil, errors.New("the scheme has no JSON")
	}
	return legacyscheme.Codecs.CodecForVersions(info.Serializer, info.Serializer, batchv1.SchemeGroupVersion, batch.SchemeGroupVersion), nil
}

// decode reads a Job as the API server reads a request's body or a stored object: decoded, defaulted
// and converted to the internal version.
func decode(body []byte, typed bool) (*batch.Job, error) {
	if errCodec != nil {
		return nil, errCodec
	}
	if typed {
		var err error
		if body, err = retype(body); err != nil {
			return nil, err
		}
	}
	obj, _, err := codec.Decode(body, &jobKind, &batch.Job{})
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
	if errCodec != nil {
		return nil, errCodec
	}
	return runtime.Encode(codec, job)
}
