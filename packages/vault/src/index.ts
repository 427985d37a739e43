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
