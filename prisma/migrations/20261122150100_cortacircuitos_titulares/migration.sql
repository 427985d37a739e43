-- Whose requests a host answered with an error since its last success, and before it: one taxpayer's account counts once, however often it fails.
ALTER TABLE estado_host ADD COLUMN titulares text NOT NULL DEFAULT '', ADD COLUMN titulares_antes text NOT NULL DEFAULT '';
