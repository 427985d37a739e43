export * from './ajustes/open-claves.ts';
export { type ApiKey, generateApiKey, parseApiKey, wipeApiKey } from './api-key/api-key.ts';
export { type ApiKeyHash, type ApiKeyHasher, createApiKeyHasher, registroOf } from './api-key/api-key-hasher.ts';
export { decodeBase64 } from './body/base64.ts';
export { CuerpoIlegible, JsonScanner } from './body/json-scanner.ts';
export { takeSecretFields } from './body/secret-fields.ts';
export { type CiecLength, reparoCiec } from './boveda/ciec.ts';
export { LlaveRechazada, openLlaveDe, storeCertificado, storedCertificado, storeLlave } from './boveda/store-efirma.ts';
export {
  contextoDe,
  type Dueno,
  openGuardada,
  resealGuardada,
  sealForSolicitud,
  storeCredencial,
} from './boveda/stored-credencial.ts';
export { CredencialIlegible } from './credencial-bytes.ts';
export { decodeClave32 } from './crypto/clave-32.ts';
export { secretBytes } from './crypto/secret-bytes.ts';
export { ADVERTENCIAS } from './efirma/advertencias.ts';
export {
  type Certificado,
  CertificadoInvalido,
  type CertificadoRevisado,
  checkCertificado,
  createTrustBundle,
  readCertificado,
  type TrustBundle,
} from './efirma/certificado.ts';
export { type AutoridadVista, inspectAutoridades } from './efirma/inspect-autoridades.ts';
export { openLlave } from './efirma/llave.ts';
export { MOTIVO_ILEGIBLE, MOTIVOS_CERTIFICADO } from './efirma/motivos.ts';
export {
  llaveDeConexion,
  needsShredKey,
  rewrapCredencial,
  sealConectada,
  wrapConectada,
} from './envelope/credencial-envelope.ts';
export { createKeyring, createSellado, type Keyring, rewrapSellado } from './envelope/keyring.ts';
export { huellaDeCuerpo, openRespuesta, sealRespuesta } from './envelope/respuesta-envelope.ts';
export * from './instalacion/carpeta.ts';
export * from './manifiesto/manifest-keys.ts';
export * from './sealing/browser-sealed.ts';
export {
  type ContextoSolicitud,
  createOpener,
  createSealer,
  type Opener,
  resealSellada,
  type Sealer,
} from './sealing/sealed-credencial.ts';
export {
  generateWorkerKeyPair,
  importWorkerPrivateKey,
  importWorkerPublicKey,
  publicKeyOf,
} from './sealing/worker-keys.ts';
