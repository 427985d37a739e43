export * from './canales.ts';
export * from './http/cortacircuitos.ts';
export * from './http/direcciones.ts';
export * from './http/sat-http.ts';
export * from './http/settings.ts';
export * from './memoria/sat-memoria.ts';
export * from './soap/sat-soap.ts';
export * from './soap/settings.ts';
