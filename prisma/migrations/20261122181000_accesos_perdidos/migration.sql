-- Log-ins that came to nothing: each costs a captcha, so that what follows them is asked at the hours of the portal.
ALTER TABLE parte ADD COLUMN accesos smallint NOT NULL DEFAULT 0;
-- When a session was opened: one that nobody has used since has cost a log-in in vain when its first use fails.
ALTER TABLE sesion_portal ADD COLUMN abierta_en timestamptz(3) NOT NULL DEFAULT now();
