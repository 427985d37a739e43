export * from './api-key/api-key.ts';
export * from './api-key/api-key-hasher.ts';
export * from './api-key/redaction.ts';
export * from './credencial-ilegible.ts';
export { decodeClave32 } from './crypto/clave-32.ts';
export * from './envelope/credencial-envelope.ts';
export {
  createKeyring,
  type Keyring,
  KeyringExhausted,
  MAX_ENCRYPTIONS_PER_KID,
} from './envelope/keyring.ts';
export { createOpener, type Opener } from './sealing/opener.ts';
export { type ContextoSolicitud, kidOfSealed } from './sealing/sealed-credencial.ts';
export { createSealer, type Sealer } from './sealing/sealer.ts';
export * from './sealing/worker-keys.ts';
