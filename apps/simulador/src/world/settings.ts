import { z } from 'zod';

const count = z.int().min(0);

/** What an operator can change while the simulator runs; the names are those of PUT /control/ajustes. */
export const settingsSchema = z.object({
  /** The same seed gives the same taxpayers and rows. */
  semilla: z.string().default('acuse'),
  filas_por_paquete: count.min(1).default(250_000),
  /** More rows than this are refused with 5003, by TipoSolicitud. */
  max_filas_metadata: count.default(1_000_000),
  max_filas_cfdi: count.default(200_000),
  /** The n-th verification sees the request finished; both this and the seconds must have passed. */
  verificaciones_hasta_terminar: count.default(2),
  segundos_hasta_terminar: count.default(0),
  horas_paquete: count.default(72),
  /** After these hours a request answers EstadoSolicitud 6. */
  horas_solicitud: count.default(72),
  max_descargas: count.default(2),
  /** Equal requests of TipoSolicitud CFDI that a taxpayer may make in its life, then 5002. */
  max_solicitudes_iguales: count.default(2),
  /** Whether a request beyond them is refused itself, or accepted and refused at its verification. */
  agotadas: z.enum(['al pedir', 'al verificar']).default('al pedir'),
  max_folios_por_dia: count.default(2000),
  /** XML that the portal gives a taxpayer on a day of central Mexico. */
  max_xml_por_dia: count.default(2000),
  /** Members of an XML package that are unlike the others (`packages.ts`). */
  paquetes_xml: z.enum(['normales', 'mayusculas', 'perdido', 'doble', 'renombrado', 'todo']).default('normales'),
  segundos_token: count.default(300),
  /** Whether the seal of a request is checked beyond what the SAT checks: its digest and its reference, too. */
  sello_completo: z.boolean().default(false),
  /** Whether the portal shows a captcha, and how many right answers it takes for wrong ones first. */
  captcha: z.boolean().default(true),
  captchas_rechazados: count.default(0),
  /** Number of false empty answers for the magic RFC of the false empty before the true one. */
  vacios_falsos: count.default(1),
  /** Milliseconds that each answer to the slow and to the hanging magic RFC takes. */
  ms_lento: count.default(1000),
  ms_colgado: count.default(180_000),
  /**
   * The list of article 69-B: proceedings begun by 2026-10-31 (40 more begin each month after it), and the day of its
   * cut.
   */
  filas_69b: count.max(200_000).default(14_500),
  corte_69b: z.iso.date().default('2026-10-31'),
  /** Rows of each of the other lists (69, seals without effect), and the day on which they were put where they are. */
  filas_listados: count.max(300_000).default(400),
  fecha_listados: z.iso.date().default('2026-11-06'),
  /** What all lists are written in: the SAT's windows-1252, or something that a reader should notice. */
  codificacion_listas: z.enum(['windows-1252', 'utf-8', 'utf-16', 'cp850']).default('windows-1252'),
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;
