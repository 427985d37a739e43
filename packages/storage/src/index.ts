export { ZipNoCoincide } from './assemble/verify-zip.ts';
export { documentoKey, paqueteKey } from './keys.ts';
export { createPaquetesMemoria } from './memoria.ts';
export { type FilaMetadata, readMetadata } from './metadata/read-metadata.ts';
export { createPaquetesS3, type PaquetesS3 } from './s3/create-paquetes-s3.ts';
export { openPaquetesS3 } from './s3/open-paquetes-s3.ts';
export type { PaquetesS3Settings } from './s3/settings.ts';
