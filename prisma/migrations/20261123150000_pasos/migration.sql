-- Every step that gave a claim back: when it was claimed and by whom, how long its ring waited (in the outbox, then in the queue), how long it
-- took, what it noted, and what the authority answered meanwhile. For the operator's account of one solicitud: codes, hosts and times, never a
-- credential. A step that noted what the one before it noted is counted in its row, of which the times are the longest: nearly all looks find
-- nothing new, so that a solicitud of three days takes as many rows as one of three minutes.
CREATE TABLE paso (
  solicitud_id uuid NOT NULL REFERENCES solicitud ON DELETE CASCADE,
  epoch        integer NOT NULL,
  cola         text NOT NULL CHECK (cola IN ('descargas', 'ensambles')),
  notas        text NOT NULL,
  proceso      text NOT NULL,
  en           timestamptz(3) NOT NULL,
  bandeja_ms   integer,
  cola_ms      integer,
  ms           integer NOT NULL,
  consultas    jsonb,
  veces        integer NOT NULL DEFAULT 1,
  ultimo_en    timestamptz(3),
  PRIMARY KEY (solicitud_id, epoch)
) WITH (fillfactor = 90);
