/**
 * Zeroed memory for a secret of `length` bytes that is never moved. Node keeps buffers of up to 64 bytes
 * (`Buffer.alloc`, `Buffer.allocUnsafeSlow`, `randomBytes`) on the heap of V8. Its garbage collector moves them and
 * leaves a copy behind that cannot be wiped (`typed_array_max_size_in_heap` of V8).
 */
export const secretBytes = (length: number): Buffer => Buffer.from(new ArrayBuffer(length));
