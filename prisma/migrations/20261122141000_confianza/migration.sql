-- An answer without CFDI is asked for once more, by the other channel where that can be, and the result says how sure it is.
ALTER TABLE parte ADD COLUMN canal text CHECK (canal IN ('soap', 'portal')),
  ADD COLUMN vacias text[] NOT NULL DEFAULT '{}';
ALTER TABLE solicitud ADD COLUMN confianza text CHECK (confianza IN ('confirmado', 'sin_confirmar'));
