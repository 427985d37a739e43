export * from './almacen.ts';
export * from './consentimientos.ts';
export * from './sincronizaciones.ts';
export * from './tramos.ts';
