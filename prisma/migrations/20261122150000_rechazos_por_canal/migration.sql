-- A refusal belongs to the channel that spoke it: the web service was reported to refuse valid e.firmas that the portals take. Of the refusals
-- known so far nobody knows the channel.
ALTER TABLE credencial ADD COLUMN rechazada_soap_en timestamptz(3), ADD COLUMN rechazada_portal_en timestamptz(3);
UPDATE credencial SET rechazada_portal_en = rechazada_en, rechazada_soap_en = CASE tipo WHEN 'ciec' THEN NULL ELSE rechazada_en END
WHERE rechazada_en IS NOT NULL;
ALTER TABLE credencial DROP COLUMN rechazada_en;

-- A solicitud has a copy of each stored credential: refused with one, it goes on with the other.
ALTER TABLE credencial_sellada DROP CONSTRAINT credencial_sellada_pkey;
ALTER TABLE credencial_sellada ADD PRIMARY KEY (solicitud_id, tipo);
