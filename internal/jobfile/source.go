// SPDX-License-Identifier: Apache-2.0

package jobfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	Stdin     = "-"              // the path of standard input
	StdinName = "standard input" // how it is called in messages
	MaxSize   = 64 << 20         // of a file
)

// Open opens a file, or standard input, and returns how to call it in messages.
func Open(path string, stdin io.Reader) (name string, file io.ReadCloser, err error) {
	if path == Stdin {
		return StdinName, io.NopCloser(stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return path, nil, withoutPath(path, err)
	}
	return path, f, nil
}

// ReadFile returns what is in a file, or on standard input, and how to call it in messages.
func ReadFile(path string, stdin io.Reader) (name string, data []byte, err error) {
	name, file, err := Open(path, stdin)
	if err != nil {
		return name, nil, err
	}
	defer file.Close()
	data, err = io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return name, nil, withoutPath(name, err)
	}
	if len(data) > MaxSize {
		return name, nil, fmt.Errorf("%s: it is larger than %d MiB", name, MaxSize>>20)
	}
	return name, data, nil
}

// withoutPath says what went wrong with a file, and its name once.
func withoutPath(name string, err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// TextReader reads as ToText does, but does not look for what is not text.
func TextReader(file io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(file)
	head, _ := buffered.Peek(3)
	switch {
	case bytes.HasPrefix(head, utf8Mark):
		_, err := buffered.Discard(len(utf8Mark))
		return buffered, err
	case bytes.HasPrefix(head, utf16Little), bytes.HasPrefix(head, utf16Big):
		data, err := io.ReadAll(io.LimitReader(buffered, MaxSize+1))
		if err == nil && len(data) > MaxSize {
			err = fmt.Errorf("in UTF-16 it is larger than %d MiB", MaxSize>>20)
		}
		if err == nil {
			data, err = ToText(data)
		}
		return bytes.NewReader(data), err
	}
	return buffered, nil
}

// Marks of byte orders.
var utf8Mark, utf16Little, utf16Big = []byte("\xef\xbb\xbf"), []byte("\xff\xfe"), []byte("\xfe\xff")

// ToText returns UTF-8 without a byte order mark. Shells on Windows redirect to files in UTF-16.
func ToText(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, utf8Mark):
		data = data[len(utf8Mark):]
	case bytes.HasPrefix(data, utf16Little):
		data = fromUTF16(data[len(utf16Little):], binary.LittleEndian)
	case bytes.HasPrefix(data, utf16Big):
		data = fromUTF16(data[len(utf16Big):], binary.BigEndian)
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return nil, fmt.Errorf("it is not text: there is a zero byte at offset %d", at)
	}
	if at := firstInvalid(data); at >= 0 {
		return nil, fmt.Errorf("it is not text: the byte at offset %d is not UTF-8", at)
	}
	return data, nil
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// firstInvalid returns the offset of the first byte that is not UTF-8, -1 if there is none.
func firstInvalid(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
