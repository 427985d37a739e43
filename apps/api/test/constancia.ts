import type { Constancia } from '@acuse/core';

/** What a constancia de situación fiscal says, with a regime that no catalogue has. */
export const constancia = {
  rfc: 'ACU200101DB1',
  idCif: '15020034567',
  curp: null,
  nombre: 'COMERCIALIZADORA ACUÍFERA',
  estatus: 'ACTIVO',
  fechaInicioOperaciones: '2020-01-01',
  fechaUltimoCambio: null,
  domicilio: { calle: 'AV. REFORMA 100', colonia: 'JUÁREZ', municipio: 'CUAUHTÉMOC', estado: 'CDMX', cp: '06600' },
  regimenes: [
    { clave: '601', nombre: 'General de Ley Personas Morales', desde: '2020-01-01' },
    { clave: null, nombre: 'Régimen nuevo', desde: null },
  ],
  obligaciones: [
    {
      descripcion: 'Pago definitivo mensual de IVA.',
      vencimiento: 'A más tardar el día 17 del mes',
      desde: '2020-01-01',
      hasta: null,
    },
  ],
} as const satisfies Constancia;
