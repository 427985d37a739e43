export { firstKey, idsOf, parseKeys } from './ajustes/key-list.ts';
export * from './ajustes/open-claves.ts';
export * from './api-key/api-key.ts';
export * from './api-key/api-key-hasher.ts';
export * from './api-key/redaction.ts';
export * from './api-key/registro-api-key.ts';
export { decodeBase64 } from './body/base64.ts';
export * from './body/cuerpo-ilegible.ts';
export { type SecretFields, takeSecretFields } from './body/secret-fields.ts';
export * from './boveda/ciec.ts';
export type { Dueno } from './boveda/dueno.ts';
export * from './boveda/llave-rechazada.ts';
export { resealGuardada } from './boveda/reseal-guardada.ts';
export { sealForSolicitud } from './boveda/sealed-copy.ts';
export { type StoreDeps, storeCredencial } from './boveda/store-credencial.ts';
export * from './boveda/store-efirma.ts';
export * from './boveda/stored-credencial.ts';
export * from './credencial-ilegible.ts';
export { decodeClave32 } from './crypto/clave-32.ts';
export { type Certificado, MAX_CERTIFICADO_BYTES, readCertificado } from './efirma/certificado.ts';
export * from './efirma/certificado-invalido.ts';
export { checkCertificado } from './efirma/check-certificado.ts';
export { llaveCorresponde, MAX_LLAVE_BYTES, openLlave } from './efirma/llave.ts';
export * from './efirma/llave-invalida.ts';
export { MOTIVO_ILEGIBLE, MOTIVOS_CERTIFICADO } from './efirma/motivos.ts';
export { type ChainResult, createTrustBundle, type TrustBundle } from './efirma/trust-bundle.ts';
export * from './envelope/credencial-envelope.ts';
export {
  createKeyring,
  type Keyring,
  KeyringExhausted,
  MAX_ENCRYPTIONS_PER_KID,
} from './envelope/keyring.ts';
export * from './envelope/respuesta-envelope.ts';
export { createSellado, rewrapSellado } from './envelope/sellado.ts';
export { changeValores, readValores, type Valores, writeInstalacion } from './instalacion/carpeta.ts';
export { newSecretos, newServidores, PROCESOS } from './instalacion/procesos.ts';
export { createOpener, type Opener } from './sealing/opener.ts';
export type { ContextoSolicitud } from './sealing/sealed-credencial.ts';
export { createSealer, type Sealer } from './sealing/sealer.ts';
export * from './sealing/worker-keys.ts';
