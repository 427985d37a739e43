import { CATALOGO, CfdiError, type NombreError, sobreDeError } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { readRechazo } from './rechazo.tsx';

const told = (nombre: NombreError, datos: CfdiError['datos'] = {}) =>
  readRechazo(JSON.stringify(sobreDeError(new CfdiError(nombre, datos))));

/** What the two operations that the panel's own forms call may answer, and what somebody finds to mend it. */
const DE_FORMULARIOS: readonly (readonly [NombreError, donde: string | undefined])[] = [
  ['API_KEY_INVALIDA', undefined],
  ['API_KEY_REVOCADA', undefined],
  ['CUENTA_SUSPENDIDA', undefined],
  ['OPERACION_NO_HABILITADA', '/operaciones'],
  ['RFC_NO_REGISTRADO', '/credenciales'],
  ['IP_NO_PERMITIDA', '/direcciones'],
  ['SALDO_INSUFICIENTE', '/saldo'],
  ['IDEMPOTENCIA_EN_CONFLICTO', undefined],
  ['DEMASIADAS_PETICIONES', undefined],
  ['EFIRMA_NO_DISPONIBLE', '/credenciales'],
  ['EFIRMA_RECHAZADA', '/credenciales'],
  ['CIEC_NO_GUARDADA', '/credenciales'],
  ['CIEC_RECHAZADA', '/credenciales'],
  ['SINCRONIZACION_DE_OTRO_MODO', undefined],
  ['BASE_NO_DISPONIBLE', undefined],
  ['ACCESO_CAMBIADO', undefined],
  ['SAT_NO_DISPONIBLE', undefined],
  ['RESULTADO_INCIERTO', undefined],
  ['ERROR_INTERNO', undefined],
];

describe('what the API refuses to a form of the panel', () => {
  it.each(DE_FORMULARIOS)(
    '%s is told without words that only programs read, with the page %s to mend it',
    (nombre, donde) => {
      const rechazo = told(nombre, { motivo: 'Guárdela con rfc-guardar.' });
      if (nombre in { CUENTA_SUSPENDIDA: 1, BASE_NO_DISPONIBLE: 1, ACCESO_CAMBIADO: 1, SAT_NO_DISPONIBLE: 1 })
        expect(rechazo?.texto).toContain(CATALOGO[nombre].texto);
      else
        expect(rechazo?.texto).not.toMatch(
          /\/api\/|rfc-guardar|firma-|Authorization|Retry-After|X-Request-Id|Idempotency|\bdata\b/,
        );
      expect(rechazo?.texto).toMatch(/\.$/);
      expect(rechazo?.ir?.path).toBe(donde);
    },
  );

  it.each(['CAMPO_INVALIDO', 'CAMPO_FALTANTE'] as const)(
    '%s of a field says what is wrong with it and nothing else',
    (nombre) => {
      expect(told(nombre, { campo: 'desde', motivo: 'no puede ser posterior a hoy' })).toEqual({
        texto: 'No puede ser posterior a hoy.',
        campo: 'desde',
      });
    },
  );

  it('is nothing where the answer is none of the API', () => {
    for (const body of ['', '<html>', '[]', '{"data":{}}']) expect(readRechazo(body)).toBeNull();
  });

  it('keeps the words of an error that it does not know', () => {
    expect(readRechazo('{"cfdi_texto":"Algo pasó.","error":"constructor","data":{"motivo":"Espere."}}')?.texto).toBe(
      'Algo pasó. Espere.',
    );
  });
});
