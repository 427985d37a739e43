import { z } from 'zod';

/** What only this application has to set; the names are those of PUT /ptsc32d/simulador/ajustes. */
export const opinionSettingsSchema = z.object({
  /** Layout of the document: that of June 2025 and later, or the one before it. */
  diseno: z.enum(['2025', 'anterior']).default('2025'),
});

export type OpinionSettings = z.infer<typeof opinionSettingsSchema>;
