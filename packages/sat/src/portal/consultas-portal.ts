import { type Consulta, type NombreDescarga, SatError } from '@acuse/core';
import { listarComunicados } from './buzon/listar-comunicados.ts';
import { listarNotificaciones } from './buzon/listar-notificaciones.ts';
import { consultaDescargarConstancia } from './constancia/descargar-constancia.ts';
import { bajarXml } from './consultas/bajar-xml.ts';
import { readPeriodo } from './consultas/busqueda.ts';
import { descargarPaquete, verificarMetadata } from './consultas/descargas.ts';
import { solicitarMetadata } from './consultas/solicitar-metadata.ts';
import { listarDeclaraciones } from './declaraciones/listar-declaraciones.ts';
import { listarFacturas } from './facturas/listar-facturas.ts';
import { consultarOpinion } from './opinion/consultar-opinion.ts';
import type { ConsultasPortal } from './portal.ts';
import { PORTAL_CFDI } from './portal-cfdi.ts';
import { assertEjercicio, listarRetenciones, PORTAL_RETENCIONES } from './retenciones/listar-retenciones.ts';

const HOSTS_CFDI = 'cfdiau.sat.gob.mx, portalcfdi.facturaelectronica.sat.gob.mx';

/** The bulk download of the CFDI portal takes the CIEC only: with an e.firma the web service is the better way. */
const descarga = {
  portal: PORTAL_CFDI,
  credenciales: ['ciec'],
  origen: { servidor: HOSTS_CFDI, fuentes: ['phpcfdi/cfdi-sat-scraper, pull request 97'] },
  check({ tipo, periodo, documento }: Consulta<NombreDescarga>) {
    if (documento === 'retenciones') {
      throw new SatError('CANAL_DESACTIVADO', { detalle: 'portal: descarga de retenciones' });
    }
    readPeriodo(tipo, periodo);
  },
} as const;

/** Every consulta that a portal answers. */
export const CONSULTAS_PORTAL: ConsultasPortal = {
  'solicitar-metadata': { ...descarga, ask: solicitarMetadata },
  'verificar-metadata': { ...descarga, ask: verificarMetadata },
  'descargar-paquete': {
    ...descarga,
    ask: (pageClient, consulta, { settings }) => descargarPaquete(pageClient, consulta, settings.maxPaqueteBytes),
  },
  'bajar-xml': {
    portal: PORTAL_CFDI,
    credenciales: ['ciec'],
    origen: { servidor: HOSTS_CFDI, fuentes: ['phpcfdi/cfdi-sat-scraper', 'soycontadorAI/sat-dm'] },
    check: ({ tipo, periodo }) => void readPeriodo(tipo, periodo),
    ask: bajarXml,
  },
  entrar: {
    portal: PORTAL_CFDI,
    credenciales: ['ciec', 'efirma'],
    origen: { servidor: HOSTS_CFDI, fuentes: ['phpcfdi/cfdi-sat-scraper'] },
    ask: async () => ({ resultado: 'DENTRO' }),
  },
  'consultar-opinion': consultarOpinion,
  'listar-facturas': {
    portal: PORTAL_CFDI,
    credenciales: ['ciec', 'efirma'],
    origen: { servidor: HOSTS_CFDI, fuentes: ['phpcfdi/cfdi-sat-scraper', 'SAT-CFDI/python-satcfdi'] },
    check: ({ periodo }) => void readPeriodo('emitidos', periodo),
    ask: listarFacturas,
  },
  'listar-retenciones': {
    portal: PORTAL_RETENCIONES,
    credenciales: ['ciec'],
    origen: {
      servidor: 'prodretencioncontribuyente.clouda.sat.gob.mx',
      fuentes: ['un archivo público sin repositorio conocido'],
    },
    check: assertEjercicio,
    ask: listarRetenciones,
  },
  'listar-declaraciones': listarDeclaraciones,
  'listar-comunicados': listarComunicados,
  'listar-notificaciones': listarNotificaciones,
  'descargar-constancia': consultaDescargarConstancia,
};
