/** What is known about one host of the SAT. */
export interface HostSat {
  /**
   * The host is known to offer Diffie-Hellman groups that OpenSSL 3 refuses ("dh key too small"); leaving DHE out makes both
   * sides meet on ECDHE instead (public reports on phpcfdi/cfdi-sat-scraper). Certificate verification is not touched.
   */
  readonly sinDhe: boolean;
}

/** The hosts of the authority that this package may speak to. Everything else is refused, redirects included. */
export const HOSTS_SAT: Readonly<Record<string, HostSat>> = {
  'cfdidescargamasivasolicitud.clouda.sat.gob.mx': { sinDhe: false },
  'cfdidescargamasiva.clouda.sat.gob.mx': { sinDhe: false },
  'retendescargamasivasolicitud.clouda.sat.gob.mx': { sinDhe: false },
  'retendescargamasiva.clouda.sat.gob.mx': { sinDhe: false },
  'consultaqr.facturaelectronica.sat.gob.mx': { sinDhe: false },
  'prodretencionverificacion.clouda.sat.gob.mx': { sinDhe: false },
  'prodretencioncontribuyente.clouda.sat.gob.mx': { sinDhe: false },
  'pstcdypisr.clouda.sat.gob.mx': { sinDhe: false },
  'ptsc32d.clouda.sat.gob.mx': { sinDhe: false },
  'cfdiau.sat.gob.mx': { sinDhe: true },
  'portalcfdi.facturaelectronica.sat.gob.mx': { sinDhe: true },
  'portal.facturaelectronica.sat.gob.mx': { sinDhe: true },
  'login.siat.sat.gob.mx': { sinDhe: true },
  'loginda.siat.sat.gob.mx': { sinDhe: true },
  'rfcampc.siat.sat.gob.mx': { sinDhe: true },
  'agr.siat.sat.gob.mx': { sinDhe: true },
  'siat.sat.gob.mx': { sinDhe: true },
  'wwwmat.sat.gob.mx': { sinDhe: true },
  'loginc.mat.sat.gob.mx': { sinDhe: true },
  'aplicacionesc.mat.sat.gob.mx': { sinDhe: true },
  'wu1agsprosta001.blob.core.windows.net': { sinDhe: false },
};
