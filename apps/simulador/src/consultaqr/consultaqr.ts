import type { Hono } from 'hono';
import { createEndpoint, soapAnswer } from '../descarga-masiva/soap/endpoint.ts';
import { childText, type SoapMessage } from '../descarga-masiva/soap/message.ts';
import { magiaDe } from '../world/magia.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import { cancelacionOf, type Row } from '../world/taxpayers/row.ts';
import { escapeXml } from '../world/texts.ts';
import type { World } from '../world/world.ts';

const NAMESPACE = 'http://tempuri.org/';
const RESULT_NAMESPACE = 'http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio';
const FOUND = 'S - Comprobante obtenido satisfactoriamente.';
/** As the live service says it (luisiturrios1/python-cfdiclient issue 23); older documents begin it with `N - 601`. */
const INVALID = 'Expresión impresa no válida. Expresión: 601';
const NOT_FOUND = 'N - 602: Comprobante no encontrado.';

type Acuse = {
  CodigoEstatus: string;
  EsCancelable: string;
  Estado: string;
  EstatusCancelacion: string;
  ValidacionEFOS: string;
};

/**
 * The public status service of CFDI, to be mounted at `/consultaqr`. A CFDI is found only with its issuer, its
 * receiver, its total written in one of the two known ways, and, if given, its seal's end; anything else is 602, an
 * expression that is none is 601.
 */
export function createConsultaqr(world: World): Hono {
  return createEndpoint(world, 'consultaqr', [
    {
      name: 'Consulta',
      path: '/ConsultaCFDIService.svc',
      action: `${NAMESPACE}IConsultaCFDIService/Consulta`,
      namespace: NAMESPACE,
      element: 'Consulta',
      ownFaults: ['code'],
      rfcOf: (message) => rfcOf(readExpression(expressionOf(message))),
      detailOf: (operation) => ({ expresionImpresa: expressionOf({ operation }) }),
      handle: (call) => {
        if (call.fault) return answer(refusal(call.fault.mensaje ?? `N - ${call.fault.code ?? 601}`));
        const expresion = readExpression(expressionOf(call));
        if (!expresion) return answer(refusal(INVALID));
        const row = findRow(world, expresion);
        return answer(row ? acuseOf(world, row) : refusal(NOT_FOUND));
      },
    },
  ]);
}

function expressionOf({ operation }: Pick<SoapMessage, 'operation'>): string {
  return childText(operation, NAMESPACE, 'expresionImpresa');
}

/** The RFC that faults and the log know the call by: the issuer's, unless only the receiver's is magic. */
function rfcOf(expresion: Expresion | null): string {
  if (!expresion) return '';
  const { re, rr } = expresion;
  return magiaDe(rr) && !magiaDe(re) ? rr : re;
}

/** A CFDI is known from its issuer's side or from its receiver's: the generator makes the two lists apart. */
function findRow({ taxpayers, cfdis }: World, { re, rr, tt, id, fe }: Expresion): Row | null {
  const row = taxpayers.find(re, 'emitidos', id) ?? taxpayers.find(rr, 'recibidos', id);
  const isIt = row && row.rfcEmisor === re && row.rfcReceptor === rr && totalForms(row.monto).includes(tt);
  return isIt && (fe === '' || cfdis.selloOf(row).endsWith(fe)) ? row : null;
}

function acuseOf(world: World, row: Row): Acuse {
  const { esCancelable, estatus } = cancelacionOf(row);
  return {
    CodigoEstatus: FOUND,
    EsCancelable: esCancelable,
    Estado: row.estatus,
    EstatusCancelacion: estatus,
    ValidacionEFOS: efosOf(world, row),
  };
}

/** 100: issuer listed; 101: issuer and third party; 102: third party; 200: none; 201: none, with a third party. */
function efosOf({ listado69b }: World, { rfcEmisor, tercero }: Row): string {
  const isIssuer = listado69b.isAdverse(rfcEmisor);
  if (!tercero) return isIssuer ? '100' : '200';
  if (listado69b.isAdverse(tercero.rfc)) return isIssuer ? '101' : '102';
  return isIssuer ? '100' : '201';
}

function refusal(codigo: string): Acuse {
  return {
    CodigoEstatus: codigo,
    EsCancelable: '',
    Estado: 'No Encontrado',
    EstatusCancelacion: '',
    ValidacionEFOS: '',
  };
}

function answer(acuse: Acuse): Response {
  const fields = Object.entries(acuse).map(([name, value]) =>
    value === '' ? `<a:${name}/>` : `<a:${name}>${escapeXml(value)}</a:${name}>`,
  );
  return soapAnswer(
    `<ConsultaResponse xmlns="${NAMESPACE}"><ConsultaResult xmlns:a="${RESULT_NAMESPACE}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${fields.join('')}</ConsultaResult></ConsultaResponse>`,
  );
}

type Expresion = {
  re: string;
  rr: string;
  tt: string;
  /** Upper case. */
  id: string;
  /** Last eight characters of the issuer's seal; empty when it is not given. */
  fe: string;
};

const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const TOTAL = /^\d{1,18}(?:\.\d{1,6})?$/;

/**
 * Reads `?re=…&rr=…&tt=…&id=…&fe=…`, with or without an address before the question mark; `&` inside a value is written
 * `&amp;`. Null when it is no such expression. Order of the parts is free (`id` comes first in those of CFDI 3.3 and
 * later).
 */
export function readExpression(text: string): Expresion | null {
  const query = text.trim().split('?').slice(1).join('?');
  const parts = new Map(
    query.split(/&(?!amp;)/).map((part) => {
      const [name = '', value = ''] = part.split(/=(.*)/s);
      return [name, value.replaceAll('&amp;', '&')];
    }),
  );
  const [re, rr, tt, fe] = ['re', 'rr', 'tt', 'fe'].map((name) => parts.get(name) ?? '');
  const id = (parts.get('id') ?? '').toUpperCase();
  if (re === undefined || rr === undefined || tt === undefined || fe === undefined) return null;
  return isRfc(re) && isRfc(rr) && TOTAL.test(tt) && UUID.test(id) ? { re, rr, tt, id, fe } : null;
}

/**
 * The two ways of writing a total: of CFDI 3.3 and 4.0 (`1160.5`, `1.0`, `0.0`), and of CFDI 3.2 (`0000001160.500000`).
 */
export function totalForms(monto: string): readonly [string, string] {
  const [whole = '0', decimals = ''] = monto.split('.');
  const trimmed = decimals.replace(/0+$/, '');
  return [`${BigInt(whole)}.${trimmed || '0'}`, `${whole.padStart(10, '0')}.${trimmed.padEnd(6, '0')}`];
}
