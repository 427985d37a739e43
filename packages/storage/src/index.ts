export { ZipNoCoincide } from './assemble/verify-zip.ts';
export { documentoKey, paqueteKey, satKey } from './keys.ts';
export { DEFAULT_LIMITS, type PaqueteLimits } from './limits.ts';
export { createPaquetesMemoria, type PaquetesMemoria, type PaquetesMemoriaOptions } from './memoria.ts';
export { type FilaMetadata, readMetadata } from './metadata/read-metadata.ts';
export { createPaquetesS3, type PaquetesS3 } from './s3/create-paquetes-s3.ts';
export { type AjustesS3, openPaquetesS3 } from './s3/open-paquetes-s3.ts';
export { DEFAULT_S3_SETTINGS, type PaquetesS3Settings } from './s3/settings.ts';
