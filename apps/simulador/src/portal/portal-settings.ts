import { z } from 'zod';

/** What only the portal has to set; the names are those of PUT /cfdiau/simulador/ajustes. */
export const portalSettingsSchema = z.object({
  /** Idle minutes after which a session of the log-in host or of the portal is gone. */
  minutos_sesion: z.int().min(1).default(15),
  /** Which set of columns the result table has: that of January 2023 or that of May 2025. */
  columnas: z.enum(['2023', '2025']).default('2025'),
  /** Rows a search shows at most. */
  max_filas_consulta: z.int().min(1).default(500),
  /** Wrong passwords in a row that lock the account, and for how long. */
  intentos_bloqueo: z.int().min(1).default(3),
  minutos_bloqueo: z.int().min(1).default(30),
  /** Hours that ConsultaDescargaMasiva.aspx lists a folio, counted from its request. */
  horas_folio: z.int().min(1).default(72),
  /** Whether a folio in process has a row already, or appears only when it can be downloaded. */
  lista_en_proceso: z.boolean().default(true),
});

export type PortalSettings = z.infer<typeof portalSettingsSchema>;
export type PortalSettingsInput = z.input<typeof portalSettingsSchema>;
