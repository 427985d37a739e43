import type { CanalMedido } from '@acuse/core';

/** What is known about one host of the SAT. */
export interface HostSat {
  readonly canal: CanalMedido;
  /**
   * The host is known to offer Diffie-Hellman groups that OpenSSL 3 refuses ("dh key too small"); leaving DHE out makes
   * both sides meet on ECDHE instead (public reports on phpcfdi/cfdi-sat-scraper). Certificate verification is not
   * touched.
   */
  readonly sinDhe: boolean;
}

/** The hosts of the authority that this package may speak to. Everything else is refused, redirects included. */
export const HOSTS_SAT: Readonly<Record<string, HostSat>> = {
  'cfdidescargamasivasolicitud.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'cfdidescargamasiva.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'retendescargamasivasolicitud.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'retendescargamasiva.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'consultaqr.facturaelectronica.sat.gob.mx': { canal: 'publico', sinDhe: false },
  'prodretencionverificacion.clouda.sat.gob.mx': { canal: 'publico', sinDhe: false },
  'prodretencioncontribuyente.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'pstcdypisr.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'ptscdecprov.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'ptsc32d.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'cfdiau.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'portalcfdi.facturaelectronica.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'portal.facturaelectronica.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'login.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'loginda.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'rfcampc.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'agr.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'siat.sat.gob.mx': { canal: 'publico', sinDhe: true },
  'wwwmat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'loginc.mat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'aplicacionesc.mat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'wu1agsprosta001.blob.core.windows.net': { canal: 'lista', sinDhe: false },
};

/** The channel of a host; one that only the settings allow is a public source. */
export function canalDeHost(host: string): CanalMedido {
  return HOSTS_SAT[host]?.canal ?? 'publico';
}
