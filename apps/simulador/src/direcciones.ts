import type { Direcciones, DireccionesDescargaMasiva } from './publico.ts';

/** Addresses to point clients to, under the address of a simulator (without a slash at its end). */
export function direccionesOf(url: string): Direcciones {
  return {
    descargaMasiva: { cfdi: descargaMasiva(url, 'cfdi'), retenciones: descargaMasiva(url, 'reten') },
    estadoCfdi: `${url}/consultaqr/ConsultaCFDIService.svc`,
    estadoRetenciones: `${url}/prodretencionverificacion/Home/ConsultaRetencion`,
    listado69b: `${url}/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGAFF/Listado_completo_69-B.csv`,
    portales: Object.fromEntries(PORTALES.map((host) => [host, `${url}/${host.split('.')[0]}`])),
    captcha: `${url}/cfdiau/simulador/captcha`,
    control: `${url}/control`,
  };
}

function descargaMasiva(url: string, prefix: 'cfdi' | 'reten'): DireccionesDescargaMasiva {
  const solicitud = `${url}/${prefix}descargamasivasolicitud`;
  return {
    autenticacion: `${solicitud}/Autenticacion/Autenticacion.svc`,
    solicitud: `${solicitud}/SolicitaDescargaService.svc`,
    verificacion: `${solicitud}/VerificaSolicitudDescargaService.svc`,
    descarga: `${url}/${prefix}descargamasiva/DescargaMasivaService.svc`,
  };
}

/** Hosts of the SAT that people use by a browser; the first label of each is its prefix here. */
const PORTALES = [
  'cfdiau.sat.gob.mx',
  'portalcfdi.facturaelectronica.sat.gob.mx',
  'login.siat.sat.gob.mx',
  'loginda.siat.sat.gob.mx',
  'loginc.mat.sat.gob.mx',
  'prodretencioncontribuyente.clouda.sat.gob.mx',
  'ptsc32d.clouda.sat.gob.mx',
  'pstcdypisr.clouda.sat.gob.mx',
  'ptscdecprov.clouda.sat.gob.mx',
  'siat.sat.gob.mx',
  'wwwmat.sat.gob.mx',
  'rfcampc.siat.sat.gob.mx',
  'aplicacionesc.mat.sat.gob.mx',
  'agr.siat.sat.gob.mx',
];

/** What a person who started the simulator needs to point clients at it, in Spanish. */
export function describeDirecciones({ descargaMasiva: servicios, ...others }: Direcciones): string {
  const bulk = (title: string, { autenticacion, solicitud, verificacion, descarga }: DireccionesDescargaMasiva) => [
    title,
    `  autenticación  ${autenticacion}`,
    `  solicitud      ${solicitud}`,
    `  verificación   ${verificacion}`,
    `  descarga       ${descarga}`,
    '',
  ];
  return [
    ...bulk('Descarga masiva de CFDI', servicios.cfdi),
    ...bulk('Descarga masiva de retenciones', servicios.retenciones),
    'Sin cuenta',
    `  estado de un CFDI         ${others.estadoCfdi}`,
    `  estado de una retención   ${others.estadoRetenciones}`,
    `  lista del artículo 69-B   ${others.listado69b}`,
    '',
    'Portales: cada servidor del SAT es un prefijo',
    ...Object.entries(others.portales).map(([host, url]) => `  ${host.padEnd(45)} ${url}`),
    '',
    `Control (reloj, fallas, llamadas, contribuyentes, e.firmas, ajustes): ${others.control}`,
  ].join('\n');
}
