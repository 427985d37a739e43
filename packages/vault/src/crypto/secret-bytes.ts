/**
 * Memory for a secret of `length` bytes, zeroed, of its own and never moved. What Buffer makes of up to 64 bytes
 * (`Buffer.alloc`, `Buffer.allocUnsafeSlow`, `randomBytes`) is kept on the heap of V8, whose garbage collector moves it
 * and leaves a copy behind that nobody can wipe (`typed_array_max_size_in_heap` of V8).
 */
export const secretBytes = (length: number): Buffer => Buffer.from(new ArrayBuffer(length));
