-- Codes of what may go wrong with a certificate that was taken: vault/firma-estado shows them, and they decide which channel is asked first.
ALTER TABLE credencial ADD COLUMN advertencias text[] NOT NULL DEFAULT '{}';
