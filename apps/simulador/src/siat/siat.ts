import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { attend, htmlResponse } from '../web/http.ts';
import { newViewState, viewStateInput } from '../web/jsf.ts';
import type { Perfil } from '../world/taxpayers/perfil.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import { dayFirst, escapeXml } from '../world/texts.ts';
import type { World } from '../world/world.ts';

const PAGE = '/app/qr/faces/pages/mobile/validadorqr.jsf';

/** The public page behind the QR code of the constancia. Mounted at `/siat`. */
export function createSiat(world: World): Hono {
  return new Hono().get(PAGE, (c) => {
    const { idCif, rfc } = readD3(c);
    return attend(world, { service: 'siat', operation: 'ValidadorQr', rfc, detail: { idCif } }, () => {
      const perfil = isRfc(rfc) ? world.taxpayers.profile(rfc) : null;
      const isKnown = c.req.query('D1') === '10' && c.req.query('D2') === '1' && perfil?.idCif === idCif;
      return htmlResponse(perfil && isKnown ? qrPage(rfc, perfil) : qrErrorPage());
    });
  });
}

/** `D3` is the idCIF and the RFC with an underscore between. */
function readD3(c: Context): { idCif: string; rfc: string } {
  const [idCif = '', rfc = ''] = (c.req.query('D3') ?? '').split('_');
  return { idCif, rfc: rfc.toUpperCase() };
}

/** What the page says of a taxpayer, in the SAT's order and with its labels. It has no obligations. */
function secciones(perfil: Perfil): Seccion[] {
  return [
    { titulo: 'Datos de Identificación', lineas: [...identificacion(perfil), ...situacion(perfil)] },
    { titulo: 'Datos de Ubicación (domicilio fiscal, vigente)', lineas: ubicacion(perfil) },
    { titulo: 'Características fiscales (vigente)', lineas: caracteristicas(perfil) },
  ];
}

function identificacion(perfil: Perfil): Linea[] {
  if (perfil.tipoPersona === 'moral') {
    return [
      ['Denominación o Razón Social:', perfil.nombre],
      ['Régimen de capital:', abbreviate(perfil.regimenCapital ?? '')],
      ['Fecha de constitución:', dayFirst(perfil.fechaConstitucion, '-')],
    ];
  }
  return [
    ['CURP:', perfil.curp ?? ''],
    ['Nombre:', perfil.nombres ?? ''],
    ['Apellido Paterno:', perfil.apellidoPaterno ?? ''],
    ['Apellido Materno:', perfil.apellidoMaterno ?? ''],
    ['Fecha Nacimiento:', dayFirst(perfil.fechaNacimiento, '-')],
  ];
}

function situacion({ inicioOperaciones, estatus, ultimoCambio }: Perfil): Linea[] {
  return [
    ['Fecha de Inicio de operaciones:', dayFirst(inicioOperaciones, '-')],
    ['Situación del contribuyente:', estatus],
    ['Fecha del último cambio de situación:', dayFirst(ultimoCambio, '-')],
  ];
}

/**
 * An address without colonia shows its localidad in the same place (phpcfdi/csf-scraper,
 * tests/_files/scrap_moral_without_colonia.html).
 */
function ubicacion({ domicilio, email }: Perfil): Linea[] {
  const { colonia, localidad } = domicilio;
  return [
    ['Entidad Federativa:', domicilio.entidad],
    ['Municipio o delegación:', domicilio.municipio],
    colonia === '' ? ['Localidad:', localidad] : ['Colonia:', colonia],
    ['Tipo de vialidad:', domicilio.tipoVialidad],
    ['Nombre de la vialidad:', domicilio.vialidad],
    ['Número exterior:', domicilio.numeroExterior],
    ['Número interior:', domicilio.numeroInterior],
    ['CP:', domicilio.cp],
    ['Correo electrónico:', email],
    ['AL:', domicilio.administracion],
  ];
}

function caracteristicas({ regimenes }: Perfil): Linea[] {
  return regimenes.flatMap(({ nombre, desde }): Linea[] => [
    ['Régimen:', nombre],
    ['Fecha de alta:', dayFirst(desde, '-')],
  ]);
}

/** The page abbreviates the capital regime that the PDF writes out: SA DE CV. */
function abbreviate(regimenCapital: string): string {
  return regimenCapital
    .replace('SOCIEDAD ANONIMA', 'SA')
    .replace('SOCIEDAD DE RESPONSABILIDAD LIMITADA', 'S DE RL')
    .replace('CAPITAL VARIABLE', 'CV');
}

/** What the page says of an idCIF and an RFC that do not belong together. */
export const NO_ENCONTRADA =
  'No se encontró información de la cédula de identificación fiscal para los datos proporcionados';

function qrPage(rfc: string, perfil: Perfil): string {
  const intro = `<ul id="ubicacionForm:j_idt8" data-role="listview" data-inset="data-inset" style="margin: 1em -15px;"><li>El RFC: ${escapeXml(rfc)}, tiene asociada la siguiente información.</li></ul>`;
  return frame(intro + secciones(perfil).map(section).join(''));
}

/** The page of an unknown one; HTTP status 200, as the SAT gives it. */
function qrErrorPage(): string {
  return frame(
    `<fieldset id="ubicacionForm:j_idt6" class="ui-fieldset ui-widget ui-widget-content ui-corner-all"><div class="ui-fieldset-content"><div id="ubicacionForm:panelMensajes" class="ui-grid-null prueba"><div class="ui-block-a"><ul id="ubicacionForm:j_idt7" data-role="listview" data-inset="data-inset"><li><div id="ubicacionForm:j_idt7:msgs" class="ui-messages ui-widget" aria-live="polite"><div class="ui-messages-info ui-corner-all"><span class="ui-messages-info-icon"></span><ul><li><span class="ui-messages-info-summary"></span><span class="ui-messages-info-detail">${NO_ENCONTRADA}</span></li></ul></div></div></li></ul></div></div></div></fieldset>`,
  );
}

/** Everything around: an XML declaration and a stray meta before the doctype, as on the SAT's page. */
function frame(content: string): string {
  const session = `${randomBytes(33).toString('base64url')}!${randomBytes(4).readInt32BE()}`;
  const resource = (name: string, library: string) =>
    `/app/qr/faces/javax.faces.resource/${name};jsessionid=${session}?ln=${library}`;
  return `<?xml version="1.0" encoding="UTF-8" ?>

    <meta content="text/html; charset=UTF-8" http-equiv="Content-Type" /><!DOCTYPE html>
<html><head><meta name="viewport" content="width=device-width,initial-scale=1,minimum-scale=1,maximum-scale=1" /><title>Validador QR</title><link type="text/css" rel="stylesheet" href="${resource('mobile.css', 'primefaces-mobile')}" /><script type="text/javascript" src="${resource('jquery/jquery.js', 'primefaces')}"></script><script type="text/javascript" src="${resource('primefaces.js', 'primefaces')}"></script>
</head><body>
<center><img id="j_idt4" src="/app/qr/images/HACIENDA-SAT.jpg;jsessionid=${session}" alt="" width="320px" /></center>
<div id="pageContent" data-role="content">
<form id="ubicacionForm" name="ubicacionForm" method="post" action="/app/qr/faces/pages/mobile/validadorqr.jsf;jsessionid=${session}" class="ui-content" enctype="application/x-www-form-urlencoded">
<input type="hidden" name="ubicacionForm" value="ubicacionForm" />
<input id="ubicacionForm:iptRequiereUbicacion" name="ubicacionForm:iptRequiereUbicacion" type="hidden" /><input id="ubicacionForm:iptUbicacion" name="ubicacionForm:iptUbicacion" type="hidden" />${content}${viewStateInput(newViewState())}
</form></div></body></html>`;
}

type Linea = readonly [etiqueta: string, valor: string];

type Seccion = { titulo: string; lineas: readonly Linea[] };

/**
 * A section as PrimeFaces renders it: a list whose second item is a grid with two tables, that of the lines and one
 * that is always empty. The public readers depend on the roles, the classes and two `style` attributes to the letter,
 * and on the regimes being in the fifth table (phpcfdi/csf-scraper, src/DataExtractor.php; SAT-CFDI/python-satcfdi,
 * satcfdi/csf).
 */
function section({ titulo, lineas }: Seccion, index: number): string {
  const id = `ubicacionForm:j_idt10:${index}:j_idt11`;
  const rows = lineas.map(([etiqueta, valor], ri) => dataRow(etiqueta, valor, ri)).join('');
  const empty = '<tr class="ui-widget-content ui-datatable-empty-message"><td colspan="1"></td></tr>';
  return `<ul id="${id}" data-role="listview" data-inset="data-inset" style="margin: 1em -15px;"><li data-role="list-divider">${titulo}</li><li><table id="${id}:j_idt13" class="ui-panelgrid ui-widget prueba" role="grid"><tbody>${gridRow(dataTable(`${id}:j_idt14`, 2, rows))}<tr class="ui-widget-content" role="row"><td role="gridcell"></td></tr>${gridRow(dataTable(`${id}:j_idt22`, 1, empty))}</tbody></table></li></ul>`;
}

function gridRow(content: string): string {
  return `<tr class="ui-widget-content" role="row"><td role="gridcell">${content}</td></tr>`;
}

function dataTable(id: string, columns: number, rows: string): string {
  const heads = Array.from(
    { length: columns },
    (_, i) => `<th id="${id}:j_idt${15 + 2 * i}" class="ui-state-default" role="columnheader"><span></span></th>`,
  ).join('');
  const widget = `widget_${id.replaceAll(':', '_')}`;
  return `<div id="${id}" class="ui-datatable ui-widget hide-column-names"><div class="ui-datatable-tablewrapper"><table role="grid"><thead id="${id}_head"><tr role="row">${heads}</tr></thead><tfoot></tfoot><tbody id="${id}_data" class="ui-datatable-data ui-widget-content">${rows}</tbody></table></div></div><script id="${id}_s" type="text/javascript">$(function(){PrimeFaces.cw('DataTable','${widget}',{id:'${id}'});});</script>`;
}

function dataRow(etiqueta: string, valor: string, ri: number): string {
  const parity = ri % 2 === 0 ? 'even' : 'odd';
  return `<tr data-ri="${ri}" class="ui-widget-content ui-datatable-${parity}" role="row"><td role="gridcell"><span style="font-weight: bold;">${etiqueta}</span></td><td role="gridcell" style="text-align:left;">${escapeXml(valor)}</td></tr>`;
}
