export { ZipNoCoincide } from './assemble/assemble.ts';
export { type RenglonCfdi, xlsxOf } from './formats/hoja.ts';
export { documentoKey, paqueteKey, solicitudPrefix } from './keys.ts';
export { Contrapartes } from './metadata/contrapartes.ts';
export { type FilaMetadata, readMetadata } from './metadata/read-metadata.ts';
export { type Eraser, openEraser } from './s3/erase.ts';
export { type BucketFacts, type BucketStep, inspectBucket } from './s3/inspect-bucket.ts';
export type { PaquetesS3Settings } from './s3/paquetes-s3.ts';
export { createPaquetesS3, openPaquetesS3, type PaquetesS3 } from './s3/paquetes-s3.ts';
